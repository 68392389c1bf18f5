import { Inject, Injectable } from '@nestjs/common';
import { decodeMoney, isFinalAttempt } from '@vuka/domain';
import type { CallbackReading, PayoutProvider, ProviderAnswer } from '@vuka/payouts';
import { type Clock, crashPoint, type MonotonicClock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { leaseFor } from '../due-work/index.js';
import { instructionOf, RecordProviderAnswer, storable } from '../payouts/index.js';
import { DestinationVault, TransactionStore } from '../transactions/index.js';
import { type CalledBackAttempt, CallbackStore } from './callback.store.js';

/** One commit. */
const LEASE_MS = 10_000;

/**
 * Records what a signed callback proves: a payment of an attempt that is open, under a claim of its own, like the
 * answer of a call. All else is left to a query: "not paid" would start another attempt, and after the end a word of
 * the provider may contradict an earlier one.
 */
@Injectable()
export class RecordCallback {
  constructor(
    private readonly store: CallbackStore,
    private readonly transactions: TransactionStore,
    private readonly vault: DestinationVault,
    private readonly answers: RecordProviderAnswer,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
  ) {}

  /** `busy`: a call is under way, or people have settled it. */
  async run(
    attempt: CalledBackAttempt,
    reading: CallbackReading,
    provider: PayoutProvider,
  ): Promise<'recorded' | 'known' | 'busy' | 'ask'> {
    const answer = await this.answerFor(attempt, reading);
    if (isFinalAttempt(attempt.state)) return isOnRecord(attempt, answer) ? 'known' : 'ask';
    if (answer?.outcome !== 'succeeded') return 'ask';
    const claimed = await this.transactions.claimCalledBack(
      provider.id,
      attempt.providerReference,
      leaseFor(LEASE_MS, this.clock),
    );
    if (claimed === undefined) return 'busy';
    await this.answers.run(claimed, provider, answer);
    crashPoint('payments.callback-recorded');
    const after = await this.store.attemptOf(provider.id, [attempt.providerReference]);
    return after?.state === 'PAID' ? 'recorded' : 'ask';
  }

  private async answerFor(
    { transactionId, providerReference, amountMinor, providerPaymentId }: CalledBackAttempt,
    reading: CallbackReading,
  ): Promise<ProviderAnswer | undefined> {
    const transaction = await this.transactions.byId(transactionId);
    if (transaction === undefined) return undefined;
    const amount = decodeMoney(amountMinor, transaction.details.amount.currency);
    return storable(
      reading.answerFor(instructionOf({ transaction, providerReference, amount, providerPaymentId }, this.vault)),
    );
  }
}

function isOnRecord({ state, receiptNumber }: CalledBackAttempt, answer: ProviderAnswer | undefined): boolean {
  if (answer?.outcome === 'succeeded') return state === 'PAID' && answer.receipt === receiptNumber;
  return answer?.outcome === 'not_paid' && state === 'NOT_PAID';
}
