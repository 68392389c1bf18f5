import { Inject, Injectable } from '@nestjs/common';
import type { PayoutProvider } from '@vuka/payouts';
import { type Clock, type Logger, uuidv7 } from '@vuka/runtime';
import { CLOCK, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { type PaymentCommit, CommitWriter } from '../commit/index.js';
import { type GrantableRefund, grantedEvent, RefundStore, type SafeAfter } from '../value/index.js';

const AT_ONCE = 200;
const ROUNDS = 20;
/** Of a provider that is not configured any more nobody knows how late its payments may be. */
const UNKNOWN_SAFE_AFTER_MS = 24 * 3_600_000;

/**
 * Grants refunds: from that commit on a signer may see them. The grant and late news of the refund's payout patch the same row of the refund, so one of
 * them comes first. A payment that is known before the grant ends the refund; one that becomes known after it is a debt of the partner.
 *
 * A failed pay's refund waits until its providers can say that "not paid" is final (`refundSafeAfterMs`), and while an incident about the provider's
 * word is open. What it waits for is read once more in the transaction that grants it, under the locks of those who write it.
 */
@Injectable()
export class GrantRefunds {
  private readonly safeAfter: SafeAfter;

  constructor(
    private readonly refunds: RefundStore,
    private readonly writer: CommitWriter,
    @Inject(PAYOUT_PROVIDERS) providers: readonly PayoutProvider[],
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    const ms = providers.map(({ id, capabilities }) => [id, capabilities.refundSafeAfterMs ?? 0] as const);
    this.safeAfter = { byProvider: new Map(ms), otherwiseMs: UNKNOWN_SAFE_AFTER_MS };
  }

  /** Rounds until nothing more may be granted, within a bound. */
  async runAll(): Promise<void> {
    for (let rounds = 0; rounds < ROUNDS && (await this.run()); rounds++);
  }

  /** One round; true where there may be more. Who was faster has granted or ended it. */
  async run(): Promise<boolean> {
    const found = await this.refunds.grantable(this.clock.now(), this.safeAfter, AT_ONCE);
    let granted = 0;
    const faults: unknown[] = [];
    for (const refund of found) {
      try {
        if (await this.grant(refund)) granted += 1;
      } catch (error) {
        // One that cannot be granted, behind somebody's lock, does not keep the others.
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
    return found.length === AT_ONCE && granted > 0;
  }

  /** One at a time, each in a transaction of its own: it holds locks that moves of its partner want. */
  private async grant(refund: GrantableRefund): Promise<boolean> {
    const granted = await this.writer.commitWhere(
      (tx) => new RefundStore(tx).lockGrantable(refund, this.clock.now(), this.safeAfter),
      this.toCommit(refund),
    );
    if (granted?.outcome !== 'ok') return false;
    this.log.info(
      { code: 'refund_granted', refund_id: refund.refundId, transaction_id: refund.transactionId },
      'a refund may be signed',
    );
    return true;
  }

  private toCommit({ requestId, traceparent, ...refund }: GrantableRefund): PaymentCommit {
    return {
      commitId: uuidv7(),
      transactionId: null,
      about: refund.transactionId,
      expectedSequence: 0,
      transitions: [],
      postings: [],
      refundPatches: [{ refundId: refund.refundId, expected: 'HELD', state: 'GRANTED' }],
      outbox: [grantedEvent(refund, this.clock.now(), { requestId, traceparent })],
    };
  }
}
