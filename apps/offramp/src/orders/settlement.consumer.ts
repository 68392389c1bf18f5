import { Controller } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { TakeSettlement } from './take-settlement.js';

@Controller()
export class SettlementConsumer {
  public constructor(private readonly takeSettlement: TakeSettlement) {}

  @OnEvent('order.settled')
  public onSettled(@Ctx() context: EventContext<'order.settled'>): Promise<void> {
    return this.takeSettlement.run(context.envelope);
  }
}
