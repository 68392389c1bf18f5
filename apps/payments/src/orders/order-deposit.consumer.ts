import { Controller, Inject } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { RecordOrderDeposits } from './record-order-deposits.js';
import { RevertOrderDeposit } from './revert-order-deposit.js';

/** offramp.order-deposit.events.v1. Only final and vanished deposits concern the ledger. */
@Controller()
export class OrderDepositConsumer {
  public constructor(
    @Inject(RecordOrderDeposits) private readonly incomingTransfers: RecordOrderDeposits,
    @Inject(RevertOrderDeposit) private readonly reversals: RevertOrderDeposit,
  ) {}

  @OnEvent('order-deposit.confirmed')
  public onConfirmed(@Ctx() context: EventContext<'order-deposit.confirmed'>): Promise<void> {
    return this.incomingTransfers.run(context.envelope);
  }

  @OnEvent('order-deposit.reverted')
  public onReverted(@Ctx() context: EventContext<'order-deposit.reverted'>): Promise<void> {
    return this.reversals.run(context.envelope);
  }

  @OnEvent('order-deposit.seen')
  public onSeen(): void {}

  @OnEvent('order-deposit.gone')
  public onGone(): void {}

  @OnEvent('order-watch.passed')
  public onPassed(): void {}
}
