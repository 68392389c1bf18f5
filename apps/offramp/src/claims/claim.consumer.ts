import { Controller } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { TakeClaim } from './take-claim.js';

@Controller()
export class ClaimConsumer {
  public constructor(private readonly takeClaim: TakeClaim) {}

  @OnEvent('transaction.awaiting-deposit')
  public onAwaitingDeposit(@Ctx() context: EventContext<'transaction.awaiting-deposit'>): Promise<void> {
    return this.takeClaim.run(context.envelope);
  }
}
