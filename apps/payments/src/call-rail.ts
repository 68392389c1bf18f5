import { decideAttempt } from '@vuka/domain';
import type { PayoutInstruction, PayoutProvider, RailAnswer } from '@vuka/payouts';
import { crashPoint, type Clock, type Logger, type MonotonicClock } from '@vuka/platform';

import type { DestinationVault } from './destination-vault.js';
import { leftOf } from './lease.js';
import type { RecordRailAnswer } from './record-rail-answer.js';
import type { ClaimedAttempt, ClaimPurpose, TransactionStore } from './store/transaction.store.js';

/** What is said in place of a rail's answer where it was not called. */
const TOO_LATE = 'too_late';

/**
 * Makes the one call a claimed attempt is due for, outside any database transaction, and records the answer. A call
 * that pays is repeated only under the same id and only on a rail that dedupes; on any other the outcome of the
 * interrupted call is unknown.
 *
 * A call that pays goes out only while the claim surely lasts longer than the call: after a slow claim or in a process that stood
 * still, somebody else may have the attempt by now, and people may have settled it as not paid.
 */
export class CallRail {
  private readonly providers: ReadonlyMap<string, PayoutProvider>;

  constructor(
    providers: readonly PayoutProvider[],
    private readonly vault: DestinationVault,
    private readonly answers: RecordRailAnswer,
    private readonly claims: Pick<TransactionStore, 'letGo'>,
    private readonly clock: Clock & MonotonicClock,
    private readonly log: Logger,
  ) {
    this.providers = new Map(providers.map((provider) => [provider.id, provider]));
  }

  async run(purpose: ClaimPurpose, attempt: ClaimedAttempt): Promise<void> {
    const provider = this.providers.get(attempt.rail);
    if (!provider) throw new Error(`attempts of ${attempt.rail} are claimed only where that rail is configured`);
    crashPoint('payments.after-claim');
    const answer = await this.call(purpose, attempt, provider);
    if (answer === TOO_LATE) {
      this.log.warn({ attempt_id: attempt.railReference, rail: attempt.rail }, 'a call that pays came too late for its lease: it was not made');
      return this.claims.letGo(attempt);
    }
    crashPoint('payments.before-record');
    await this.answers.run(attempt, provider, answer);
  }

  private async call(purpose: ClaimPurpose, attempt: ClaimedAttempt, provider: PayoutProvider): Promise<RailAnswer | typeof TOO_LATE> {
    const instruction = this.toInstruction(attempt);
    if (attempt.was === 'INTENT') return this.mayPay(attempt, provider) ? provider.submit(instruction) : TOO_LATE;
    const mayRepeat = decideAttempt(attempt.was, 'sending', provider.capabilities).kind === 'repeat';
    if (purpose === 'watch') return provider.query(instruction);
    if (purpose === 'poll') {
      const answer = await provider.query(instruction);
      // A rail that does not know our id never had the first call; one that dedupes may be sent the same id again.
      return answer.outcome === 'unknown' && mayRepeat ? this.repeat(attempt, provider, instruction) : answer;
    }
    return mayRepeat ? this.repeat(attempt, provider, instruction) : { outcome: 'unknown', detail: 'an earlier call under this id was interrupted' };
  }

  /** Sends the same id again. That this call is refused says nothing of the one before it: only a query could prove that. */
  private async repeat(attempt: ClaimedAttempt, provider: PayoutProvider, instruction: PayoutInstruction): Promise<RailAnswer | typeof TOO_LATE> {
    if (!this.mayPay(attempt, provider)) return TOO_LATE;
    const answer = await provider.submit(instruction);
    if (answer.outcome !== 'deferred' && answer.outcome !== 'not_paid') return answer;
    return { outcome: 'unknown', detail: `a repeated call was refused: ${answer.detail}` };
  }

  /** Asked right before the call, with nothing to wait for in between. */
  private mayPay({ lease }: ClaimedAttempt, { capabilities }: PayoutProvider): boolean {
    return leftOf(lease, this.clock) >= capabilities.callTimeoutMs;
  }

  private toInstruction(attempt: ClaimedAttempt): PayoutInstruction {
    const { terms, destination } = attempt.transaction;
    return {
      attemptId: attempt.railReference,
      orderId: String(terms.id),
      amountMinor: attempt.amountMinor,
      currency: terms.currency,
      traceparent: terms.traceparent,
      destination: this.vault.open(terms.id, terms.currency, destination),
    };
  }
}
