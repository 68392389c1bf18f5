import { Controller } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { OnEvent, type EventContext } from '@vuka/messaging/event-server';

import { RecordPublicChange } from './record-public-change.js';

/** Topic payments.transaction.events.v1, with refunds. */
@Controller()
export class TransactionConsumer {
  public constructor(private readonly recordChange: RecordPublicChange) {}

  @OnEvent('transaction.processing')
  public onProcessing(@Ctx() context: EventContext<'transaction.processing'>): Promise<void> {
    return this.recordChange.run(context.envelope);
  }

  @OnEvent('transaction.complete')
  public onComplete(@Ctx() context: EventContext<'transaction.complete'>): Promise<void> {
    return this.recordChange.run(context.envelope);
  }

  @OnEvent('transaction.failed')
  public onFailed(@Ctx() context: EventContext<'transaction.failed'>): Promise<void> {
    return this.recordChange.run(context.envelope);
  }

  @OnEvent('transaction.reversed')
  public onReversed(@Ctx() context: EventContext<'transaction.reversed'>): Promise<void> {
    return this.recordChange.run(context.envelope);
  }

  @OnEvent('transaction.held')
  public onHeld(@Ctx() context: EventContext<'transaction.held'>): Promise<void> {
    return this.recordChange.run(context.envelope);
  }

  @OnEvent('transaction.corrected')
  public onCorrected(@Ctx() context: EventContext<'transaction.corrected'>): Promise<void> {
    return this.recordChange.run(context.envelope);
  }

  @OnEvent('refund-status.changed')
  public onRefund(@Ctx() context: EventContext<'refund-status.changed'>): Promise<void> {
    return this.recordChange.run(context.envelope);
  }
}
