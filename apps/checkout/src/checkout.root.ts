import { Injectable } from '@nestjs/common';
import type { checkoutApi, InternalHandlers } from '@vuka/contracts';
import { JobClock } from '@vuka/jobs';
import type { ServiceRoot } from '@vuka/service-host';

import { JudgeDueOrders } from './judging/index.js';
import { CreateOrder, PageOrders, ReadOrder } from './orders/index.js';

@Injectable()
export class CheckoutRoot implements ServiceRoot {
  readonly handlers: InternalHandlers<typeof checkoutApi>;

  constructor(
    create: CreateOrder,
    read: ReadOrder,
    private readonly judgeDue: JudgeDueOrders,
    private readonly pager: PageOrders,
    private readonly jobs: JobClock,
  ) {
    this.handlers = {
      createOrder: (input, context) => create.run(input, context),
      orderStatus: ({ partner_id: partnerId, order_id: orderId }) => read.named(partnerId, orderId),
      orderByToken: ({ page_token: token }) => read.byToken(token),
    };
  }

  async start(): Promise<void> {
    this.jobs.every('checkout.page-orders', () => this.pager.run());
    this.judgeDue.start();
  }
}
