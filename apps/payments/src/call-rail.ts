import { decideAttempt } from '@vuka/domain';
import type { PayoutInstruction, PayoutProvider, RailAnswer } from '@vuka/payouts';
import { crashPoint } from '@vuka/platform';

import type { DestinationVault } from './destination-vault.js';
import type { RecordRailAnswer } from './record-rail-answer.js';
import type { ClaimedAttempt, ClaimPurpose } from './store/transaction.store.js';

/**
 * Makes the one call a claimed attempt is due for, outside any database transaction, and records the answer. A call
 * that pays is repeated only under the same id and only on a rail that dedupes; on any other the outcome of the
 * interrupted call is unknown.
 */
export class CallRail {
  private readonly providers: ReadonlyMap<string, PayoutProvider>;

  constructor(
    providers: readonly PayoutProvider[],
    private readonly vault: DestinationVault,
    private readonly answers: RecordRailAnswer,
  ) {
    this.providers = new Map(providers.map((provider) => [provider.id, provider]));
  }

  async run(purpose: ClaimPurpose, attempt: ClaimedAttempt): Promise<void> {
    const provider = this.providers.get(attempt.rail);
    if (!provider) throw new Error(`attempts of ${attempt.rail} are claimed only where that rail is configured`);
    crashPoint('payments.after-claim');
    const answer = await this.call(purpose, attempt, provider);
    crashPoint('payments.before-record');
    await this.answers.run(attempt, provider, answer);
  }

  private async call(purpose: ClaimPurpose, attempt: ClaimedAttempt, provider: PayoutProvider): Promise<RailAnswer> {
    const instruction = this.toInstruction(attempt);
    if (attempt.was === 'INTENT') return provider.submit(instruction);
    const mayRepeat = decideAttempt(attempt.was, 'sending', provider.capabilities).kind === 'repeat';
    if (purpose === 'watch') return provider.query(instruction);
    if (purpose === 'poll') {
      const answer = await provider.query(instruction);
      // A rail that does not know our id never had the first call; one that dedupes may be sent the same id again.
      return answer.outcome === 'unknown' && mayRepeat ? repeat(provider, instruction) : answer;
    }
    return mayRepeat ? repeat(provider, instruction) : { outcome: 'unknown', detail: 'an earlier call under this id was interrupted' };
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

/** Sends the same id again. That this call is refused says nothing of the one before it: only a query could prove that. */
async function repeat(provider: PayoutProvider, instruction: PayoutInstruction): Promise<RailAnswer> {
  const answer = await provider.submit(instruction);
  if (answer.outcome !== 'deferred' && answer.outcome !== 'not_paid') return answer;
  return { outcome: 'unknown', detail: `a repeated call was refused: ${answer.detail}` };
}
