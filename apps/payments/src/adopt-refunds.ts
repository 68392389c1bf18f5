import { uuidv7, type Clock, type Logger } from '@vuka/platform';

import { heldEvent } from './refund-move.js';
import { heldTold } from './refund-webhook.js';
import type { MoveWriter } from './store/move-writer.js';
import type { RefundStore } from './store/refund.store.js';
import type { TransactionIds } from './store/transaction-ids.js';

const AT_ONCE = 100;

/**
 * Makes the refunds of deposits that a release without refunds has taken to `refunding` (P7), with the event that has them sent: nothing
 * that was waiting is lost, and the least of a chain's refunds is not asked for: the value is held already. Such a release may still run beside this one, so it looks again and again.
 */
export class AdoptRefunds {
  constructor(
    private readonly refunds: Pick<RefundStore, 'withoutRefund' | 'grounds'>,
    private readonly ids: Pick<TransactionIds, 'take'>,
    private readonly writer: MoveWriter,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** One round; resolves with the number of refunds made. Who was faster has made it. */
  async run(): Promise<number> {
    const waiting = await this.refunds.withoutRefund(AT_ONCE);
    const outcomes = await Promise.all(waiting.map(async ({ requestId, traceparent, ...rest }) => {
      const refund = { ...rest, refundId: await this.ids.take() };
      const ground = await this.refunds.grounds.of(refund);
      const at = this.clock.now();
      const { outcome } = await this.writer.commit({
        moveId: uuidv7(), transactionId: null, about: refund.transactionId, expectedSequence: 0, transitions: [], postings: [],
        depositPatches: [{ depositId: refund.depositId, expected: 'refunding', state: 'refunding' }], refunds: [refund],
        outbox: [heldEvent(refund, at, { requestId, traceparent }), ...heldTold(refund, ground, { at, requestId, traceparent })],
      }, 'background');
      return outcome === 'ok';
    }));
    const made = outcomes.filter((isMade) => isMade).length;
    if (made > 0) this.log.info({ code: 'refunds_adopted', refunds: made }, 'made the refunds of pays that failed under an earlier release');
    return made;
  }
}
