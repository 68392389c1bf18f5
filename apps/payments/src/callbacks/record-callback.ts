import { Inject, Injectable } from '@nestjs/common';
import { isFinalAttempt } from '@vuka/domain';
import type { CallbackReading, PayoutProvider, ProviderAnswer } from '@vuka/payouts';
import { type Clock, crashPoint, type MonotonicClock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { leaseFor } from '../due-work/index.js';
import { ProviderFees } from '../floats/index.js';
import { instructionOf, RecordProviderAnswer, storable } from '../payouts/index.js';
import { AttemptClaims, AttemptStore, DestinationVault } from '../transactions/index.js';
import type { CalledBackAttempt } from './callback.store.js';

/** One commit. */
const LEASE_MS = 10_000;

/** `busy`: a call is under way, or people have settled it. `no_answer`: its question stays open. */
export type RecordedCallback = 'recorded' | 'known' | 'busy' | 'ask' | 'no_answer';

/** What answers a question. All others leave it open: they prove nothing that the next question would not. */
const ANSWERS: ReadonlySet<ProviderAnswer['outcome']> = new Set([
  'submitted',
  'succeeded',
  'not_paid',
  'reversed',
  'mismatch',
]);

/**
 * Records what a signed callback proves: a payment of an attempt that is open, under a claim of its own, like the
 * answer of a call. All else is left to a query: "not paid" would start another attempt, and after the end a word of
 * the provider may contradict an earlier one.
 *
 * Where a provider answers queries by callback, its answer is recorded as that of a query is: once for each question.
 */
@Injectable()
export class RecordCallback {
  constructor(
    private readonly attempts: AttemptStore,
    private readonly claims: AttemptClaims,
    private readonly vault: DestinationVault,
    private readonly answers: RecordProviderAnswer,
    private readonly fees: ProviderFees,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
  ) {}

  async run(attempt: CalledBackAttempt, reading: CallbackReading, provider: PayoutProvider): Promise<RecordedCallback> {
    const answer = await this.answerFor(attempt, reading, provider);
    if (isFinalAttempt(attempt.state)) {
      if (!isOnRecord(attempt, answer)) return 'ask';
      await this.noteFee(attempt, provider, answer);
      return 'known';
    }
    if (answer?.outcome !== 'succeeded') return 'ask';
    const claimed = await this.claims.claimCalledBack(
      provider.id,
      attempt.providerReference,
      leaseFor(LEASE_MS, this.clock),
    );
    if (claimed === undefined) return 'busy';
    await this.answers.run(claimed, provider, answer);
    crashPoint('payments.callback-recorded');
    const after = await this.attempts.keptUnder(provider.id, [attempt.providerReference]);
    return after?.state === 'PAID' ? 'recorded' : 'ask';
  }

  /** Of a question that is open since before `receivedAt`. It must be proven to be the provider's. */
  async answer(
    attempt: CalledBackAttempt,
    reading: CallbackReading,
    provider: PayoutProvider,
    receivedAt: Date,
  ): Promise<RecordedCallback> {
    const answer = await this.answerFor(attempt, reading, provider);
    if (answer === undefined || !ANSWERS.has(answer.outcome)) return 'no_answer';
    const claimed = await this.claims.claimAnswered(
      provider.id,
      attempt.providerReference,
      leaseFor(LEASE_MS, this.clock),
      receivedAt,
    );
    if (claimed === undefined) return 'busy';
    await this.answers.run(claimed, provider, answer);
    crashPoint('payments.callback-recorded');
    return 'recorded';
  }

  /** It may be told only now, of a payment that is recorded. */
  private async noteFee(
    { transactionId, attemptNo, wallet }: CalledBackAttempt,
    { id: provider }: PayoutProvider,
    answer: ProviderAnswer | undefined,
  ): Promise<void> {
    if (answer?.outcome !== 'succeeded' || answer.fee === undefined) return;
    await this.fees.told({ transactionId, attemptNo, provider, wallet }, answer.fee);
  }

  private async answerFor(
    { providerReference }: CalledBackAttempt,
    reading: CallbackReading,
    { id }: PayoutProvider,
  ): Promise<ProviderAnswer | undefined> {
    const kept = await this.attempts.keptUnder(id, [providerReference]);
    return kept && storable(reading.answerFor(instructionOf(kept, this.vault)));
  }
}

function isOnRecord({ state, receiptNumber }: CalledBackAttempt, answer: ProviderAnswer | undefined): boolean {
  if (answer?.outcome === 'succeeded') return state === 'PAID' && answer.receipt === receiptNumber;
  return answer?.outcome === 'not_paid' && state === 'NOT_PAID';
}
