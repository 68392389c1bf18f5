import { Controller, Inject } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { CreditDeposit } from './credit-deposit.js';
import { RecordReversal } from './record-reversal.js';
import { RecordVerdict } from './record-verdict.js';

/** offramp.deposit.events.v1 */
@Controller()
export class DepositConsumer {
  public constructor(
    @Inject(RecordVerdict) private readonly verdicts: RecordVerdict,
    @Inject(CreditDeposit) private readonly credits: CreditDeposit,
    @Inject(RecordReversal) private readonly reversals: RecordReversal,
  ) {}

  @OnEvent('deposit.seen')
  public onSeen(@Ctx() context: EventContext<'deposit.seen'>): Promise<void> {
    return this.verdicts.run(context.envelope);
  }

  @OnEvent('deposit.verified')
  public onVerified(@Ctx() context: EventContext<'deposit.verified'>): Promise<void> {
    return this.verdicts.run(context.envelope);
  }

  @OnEvent('deposit.unusable')
  public onUnusable(@Ctx() context: EventContext<'deposit.unusable'>): Promise<void> {
    return this.verdicts.run(context.envelope);
  }

  @OnEvent('deposit.unapplied')
  public onUnapplied(@Ctx() context: EventContext<'deposit.unapplied'>): Promise<void> {
    return this.verdicts.run(context.envelope);
  }

  @OnEvent('deposit.credited')
  public onCredited(@Ctx() context: EventContext<'deposit.credited'>): Promise<void> {
    return this.credits.run(context.envelope);
  }

  @OnEvent('deposit.reverted')
  public onReverted(@Ctx() context: EventContext<'deposit.reverted'>): Promise<void> {
    return this.reversals.run(context.envelope);
  }
}
