import { Injectable } from '@nestjs/common';
import type { Envelope } from '@vuka/contracts';
import { uuidv7 } from '@vuka/runtime';

import { type PaymentCommit, CommitWriter } from '../commit/index.js';
import { CONSUMER_GROUP } from '../deposits/index.js';
import { DepositStore } from '../value/index.js';
import { incomingTransferOf, checkSame, commitUntilDone, orderDepositRow } from './order-move.js';
import { RevertOrderDeposit } from './revert-order-deposit.js';

/** deposit_unapplied: an order's deposit waits for the order (`ordered`). Once per deposit. */
@Injectable()
export class RecordOrderDeposits {
  constructor(
    private readonly deposits: DepositStore,
    private readonly writer: CommitWriter,
    private readonly reversals: RevertOrderDeposit,
  ) {}

  /** Resolves when durable. Throws PermanentEventError if a deposit is somebody else's. */
  async run(event: Envelope<'order-deposit.confirmed'>): Promise<void> {
    const ids = event.data.deposits.map(({ deposit_id }) => deposit_id);
    await commitUntilDone(this.writer, `the arrival of deposits for order ${event.data.order_number}`, () =>
      this.next(event, ids),
    );
    await this.reversals.takeBackAmong(ids);
  }

  private async next(
    event: Envelope<'order-deposit.confirmed'>,
    ids: readonly number[],
  ): Promise<PaymentCommit | null> {
    const { order_number: orderNumber, partner_id: partnerId, deposits: facts, rate } = event.data;
    const known = await this.deposits.byIds(ids);
    const missing = facts.filter((one) => {
      const kept = known.get(one.deposit_id);
      if (kept) checkSame(kept, orderNumber, partnerId, one);
      return !kept;
    });
    if (missing.length === 0) return null;
    const rows = missing.map((one) => orderDepositRow(one, partnerId, rate, 'ordered'));
    return {
      commitId: uuidv7(),
      transactionId: null,
      about: orderNumber,
      expectedSequence: 0,
      transitions: [],
      postings: rows.map(incomingTransferOf),
      deposits: rows,
      mark: { group: CONSUMER_GROUP, eventId: event.id, occurredAt: event.occurredAt },
      outbox: [],
    };
  }
}
