import { Injectable } from '@nestjs/common';
import type { OrderView } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';

import { OrderDepositStore } from './order-deposit.store.js';
import { orderView } from './order-view.js';
import { type Order, OrderStore } from './order.store.js';

const NO_SUCH_ORDER: Result<never> = fail({ code: 'not_found', message: 'There is no such order' });

/** Errors: not_found. */
@Injectable()
export class ReadOrder {
  constructor(
    private readonly orders: OrderStore,
    private readonly deposits: OrderDepositStore,
  ) {}

  async named(partnerId: number, orderId: string): Promise<Result<OrderView>> {
    return this.found(await this.orders.named(partnerId, orderId));
  }

  async byToken(pageToken: string): Promise<Result<OrderView>> {
    return this.found(await this.orders.byToken(pageToken));
  }

  async viewOf(order: Order): Promise<OrderView> {
    return orderView(order, await this.deposits.of(order));
  }

  private async found(order: Order | undefined): Promise<Result<OrderView>> {
    return order === undefined ? NO_SUCH_ORDER : ok(await this.viewOf(order));
  }
}
