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
    const mayRepeat = decideAttempt(attempt.was, 'sending', provider.capabilities).kind !== 'refuse';
    if (purpose === 'submit') {
      return mayRepeat ? provider.submit(instruction) : { outcome: 'unknown', detail: 'an earlier call under this id was interrupted' };
    }
    const answer = await provider.query(instruction);
    // A rail that does not know our id never had the first call; one that dedupes may be sent the same id again.
    return answer.outcome === 'unknown' && mayRepeat ? provider.submit(instruction) : answer;
  }

  private toInstruction(attempt: ClaimedAttempt): PayoutInstruction {
    const { terms, destination } = attempt.transaction;
    return {
      attemptId: attempt.railReference,
      amountMinor: attempt.amountMinor,
      currency: terms.currency,
      destination: {
        kind: destination.kind,
        account_number: this.vault.accountNumber(terms.id, destination.sealed),
        bank_code: destination.bankCode,
        bank_name: destination.bankName,
      },
    };
  }
}
