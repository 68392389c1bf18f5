import { Controller, Inject } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { TakeRefund } from '../refunds/take-refund.js';

/** payments.refund.events.v1: value that is to go back on chain. */
@Controller()
export class RefundConsumer {
  public constructor(@Inject(TakeRefund) private readonly takeRefund: TakeRefund) {}

  @OnEvent('refund.held')
  public onHeld(@Ctx() context: EventContext<'refund.held'>): Promise<void> {
    return this.takeRefund.run(context.envelope);
  }
}
