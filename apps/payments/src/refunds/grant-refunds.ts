import { Inject, Injectable } from '@nestjs/common';
import type { PayoutProvider } from '@vuka/payouts';
import { type Clock, type Logger, uuidv7 } from '@vuka/runtime';
import { CLOCK, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { type PaymentCommit, CommitWriter } from '../commit/index.js';
import { type GrantableRefund, grantedEvent, RefundStore, type SafeAfter } from '../value/index.js';

const AT_ONCE = 200;
const ROUNDS = 20;
/** For a provider that is not configured: its delays are unknown. */
const UNKNOWN_SAFE_AFTER_MS = 24 * 3_600_000;

/**
 * After the grant signers may see the refund. A grant and a late payment patch the same row: a payment known
 * before ends the refund, one known later is the partner's debt.
 *
 * A failed pay's refund waits until "not paid" is final (`refundSafeAfterMs`) and no contradiction is open,
 * checked again in the granting transaction under the writers' locks.
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

  async runAll(): Promise<void> {
    for (let rounds = 0; rounds < ROUNDS && (await this.run()); rounds++);
  }

  async run(): Promise<boolean> {
    const found = await this.refunds.grantable(this.clock.now(), this.safeAfter, AT_ONCE);
    let granted = 0;
    const faults: unknown[] = [];
    for (const refund of found) {
      try {
        if (await this.grant(refund)) granted += 1;
      } catch (error) {
        // A locked one does not delay the others.
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
    return found.length === AT_ONCE && granted > 0;
  }

  /** Each in its own transaction, because it holds locks that other commits need. */
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
