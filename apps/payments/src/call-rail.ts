import { decideAttempt } from '@vuka/domain';
import type { PayoutInstruction, PayoutProvider, RailAnswer } from '@vuka/payouts';
import type { Clock, Logger } from '@vuka/platform';

import type { DestinationVault } from './destination-vault.js';
import type { RecordRailAnswer } from './record-rail-answer.js';
import type { ClaimedAttempt, ClaimPurpose, TransactionStore } from './store/transaction.store.js';

/** How long an attempt whose rail is not configured here rests before it is looked at again. */
const UNKNOWN_RAIL_REST_MS = 60_000;

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
    private readonly store: TransactionStore,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    this.providers = new Map(providers.map((provider) => [provider.id, provider]));
  }

  /** The longest any one call to a rail configured here may take, in milliseconds. */
  get longestCallMs(): number {
    return Math.max(0, ...[...this.providers.values()].map((provider) => provider.capabilities.callTimeoutMs));
  }

  async run(purpose: ClaimPurpose, attempt: ClaimedAttempt): Promise<void> {
    const provider = this.providers.get(attempt.rail);
    if (!provider) {
      this.log.error({ code: 'rail_not_configured', rail: attempt.rail, transaction_id: attempt.transaction.terms.id }, 'an attempt waits for a rail that is not configured');
      return this.store.lookAgain(attempt, new Date(this.clock.now().getTime() + UNKNOWN_RAIL_REST_MS));
    }
    await this.answers.run(attempt, provider, await this.call(purpose, attempt, provider));
  }

  private async call(purpose: ClaimPurpose, attempt: ClaimedAttempt, provider: PayoutProvider): Promise<RailAnswer> {
    const instruction = this.toInstruction(attempt);
    if (attempt.was === 'INTENT') return provider.submit(instruction);
    const mayRepeat = decideAttempt(attempt.was, 'sending', provider.capabilities).kind === 'repeat';
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
      amountMinor: attempt.amountMinor,
      currency: terms.currency,
      traceparent: terms.traceparent,
      destination: this.vault.open(terms.id, destination),
    };
  }
}

/** Sends the same id again. That this call is refused says nothing of the one before it: only a query could prove that. */
async function repeat(provider: PayoutProvider, instruction: PayoutInstruction): Promise<RailAnswer> {
  const answer = await provider.submit(instruction);
  if (answer.outcome !== 'deferred' && answer.outcome !== 'not_paid') return answer;
  return { outcome: 'unknown', detail: `a repeated call was refused: ${answer.detail}` };
}
