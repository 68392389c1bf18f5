import { Controller, Inject } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { SettleOrder } from './settle-order.js';

/** checkout.settlement.events.v1 */
@Controller()
export class SettlementConsumer {
  public constructor(@Inject(SettleOrder) private readonly orders: SettleOrder) {}

  @OnEvent('order.settled')
  public onSettled(@Ctx() context: EventContext<'order.settled'>): Promise<void> {
    return this.orders.run(context.envelope);
  }
}
