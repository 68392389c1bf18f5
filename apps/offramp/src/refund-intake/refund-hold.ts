import { Inject, Injectable } from '@nestjs/common';
import type { Envelope } from '@vuka/contracts';
import { PermanentEventError } from '@vuka/messaging';
import { Database } from '@vuka/persistence';
import type { Clock, WakeSignal } from '@vuka/runtime';

import { CLOCK } from '@vuka/service-host';

import { ClaimStore, CONSUMER_GROUP } from '../claims/index.js';
import { DueRefunds, RecordRefund, RefundStore } from '../refunds/index.js';

@Injectable()
export class RefundHold {
  public constructor(
    @Inject(Database) private readonly db: Pick<Database, 'query' | 'inTransaction'>,
    @Inject(RecordRefund) private readonly record: Pick<RecordRefund, 'givenUp'>,
    @Inject(DueRefunds) private readonly dueRefunds: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Throws PermanentEventError if the refund is unknown. */
  public async granted(event: Envelope<'refund.granted'>): Promise<void> {
    const { refund_id: refundId } = event.data;
    await this.known(refundId);
    const isNew = await this.db.inTransaction(
      async (tx) =>
        (await ClaimStore.mark(tx, CONSUMER_GROUP, event)) && RefundStore.grant(tx, refundId, this.clock.now()),
      { retries: 2 },
    );
    if (isNew) this.dueRefunds.notify();
  }

  /** An ended refund stays: payments has the value behind its payout either way. */
  public async withdrawn(event: Envelope<'refund.withdrawn'>): Promise<void> {
    await this.record.givenUp(await this.known(event.data.refund_id), null);
  }

  private async known(refundId: number): Promise<Parameters<RecordRefund['givenUp']>[0]> {
    const refund = await new RefundStore(this.db).named(refundId);
    if (refund === undefined) throw new PermanentEventError('refund_id: no such refund was held');
    return refund;
  }
}
