import { Inject, Injectable } from '@nestjs/common';
import { decideAttempt } from '@vuka/domain';
import type { PayoutInstruction, PayoutProvider, ProviderAnswer } from '@vuka/payouts';
import { type Clock, crashPoint, type Logger, type MonotonicClock } from '@vuka/runtime';
import { CLOCK, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { leftOf } from '../due-work/index.js';
import { type ClaimedAttempt, type ClaimPurpose, DestinationVault, TransactionStore } from '../transactions/index.js';
import { NEVER_TAKEN } from './payment-updates.js';
import { RecordProviderAnswer } from './record-provider-answer.js';

/** What is said in place of a provider's answer where it was not called. */
const TOO_LATE = 'too_late';
const INTERRUPTED: ProviderAnswer = { outcome: 'unknown', detail: 'an earlier call under this id was interrupted' };

/**
 * Makes the one call a claimed attempt is due for, outside any database transaction, and records the answer. A call
 * that pays is repeated only under the same id, only while its provider dedupes it, and never once the provider has acknowledged
 * it; else the outcome of the interrupted call is unknown.
 *
 * A call that pays goes out only while the claim surely lasts longer than the call: after a slow claim or in a process that stood
 * still, somebody else may have the attempt by now, and people may have settled it as not paid.
 */
@Injectable()
export class CallProvider {
  private readonly providers: ReadonlyMap<string, PayoutProvider>;

  constructor(
    @Inject(PAYOUT_PROVIDERS) providers: readonly PayoutProvider[],
    private readonly vault: DestinationVault,
    private readonly answers: RecordProviderAnswer,
    private readonly claims: TransactionStore,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.providers = new Map(providers.map((provider) => [provider.id, provider]));
  }

  async run(purpose: ClaimPurpose, attempt: ClaimedAttempt): Promise<void> {
    const provider = this.providers.get(attempt.provider);
    if (!provider)
      throw new Error(`attempts of ${attempt.provider} are claimed only where that provider is configured`);
    crashPoint('payments.after-claim');
    if (attempt.isStopped) return this.answers.giveUp(attempt);
    const answer = await this.call(purpose, attempt, provider);
    if (answer === TOO_LATE) {
      this.log.warn(
        { attempt_id: attempt.providerReference, provider: attempt.provider },
        'a call that pays came too late for its lease: it was not made',
      );
      return this.claims.releaseClaim(attempt);
    }
    crashPoint('payments.before-record');
    await this.answers.run(attempt, provider, answer);
  }

  private async call(
    purpose: ClaimPurpose,
    attempt: ClaimedAttempt,
    provider: PayoutProvider,
  ): Promise<ProviderAnswer | typeof TOO_LATE> {
    const instruction = this.toInstruction(attempt);
    // A provider that lists what we know of no call for has it from us all the same.
    if (attempt.was === 'INTENT' && !attempt.isAcknowledged)
      return this.mayPay(attempt, provider) ? provider.submit(instruction) : TOO_LATE;
    if (purpose === 'watch') return provider.query(instruction);
    if (purpose === 'submit') return this.repeat(attempt, provider, instruction, INTERRUPTED);
    const askedAt = this.clock.now();
    const answer = await provider.query(instruction);
    if (answer.outcome !== 'unknown') return answer;
    return answer.notFound === true && notFoundProves(attempt, provider, askedAt)
      ? NEVER_TAKEN
      : this.repeat(attempt, provider, instruction, answer);
  }

  /**
   * Sends the same id again, or resolves with `otherwise` where that is not allowed. That this call is refused says nothing of the one
   * before it: only a query could prove that.
   */
  private async repeat(
    attempt: ClaimedAttempt,
    provider: PayoutProvider,
    instruction: PayoutInstruction,
    otherwise: ProviderAnswer,
  ): Promise<ProviderAnswer | typeof TOO_LATE> {
    if (!this.mayRepeat(attempt, provider)) return otherwise;
    if (!this.mayPay(attempt, provider)) return TOO_LATE;
    if (!(await this.claims.beginRepeat(attempt))) return otherwise;
    // The commit took its time as well.
    if (!this.mayPay(attempt, provider) || !this.mayRepeat(attempt, provider)) return TOO_LATE;
    const answer = await provider.submit(instruction);
    if (answer.outcome !== 'deferred' && answer.outcome !== 'not_paid') return answer;
    return { outcome: 'unknown', detail: `a repeated call was refused: ${answer.detail}` };
  }

  /** While the call surely ends within what the provider dedupes. In REVIEW people decide: what the provider has, contradicts us. */
  private mayRepeat(
    { was, firstSentAt, isAcknowledged, transaction }: ClaimedAttempt,
    { capabilities }: PayoutProvider,
  ): boolean {
    const { dedupesForMs, callTimeoutMs } = capabilities;
    const since = this.clock.now().getTime() - firstSentAt.getTime();
    // A clock that was set back cannot tell how long ago that was.
    const isDeduped = dedupesForMs !== null && since >= 0 && since + callTimeoutMs < dedupesForMs;
    const mayRepeat = isDeduped && !isAcknowledged && transaction.life.state !== 'REVIEW';
    return decideAttempt(was, 'sending', { mayRepeat }).kind === 'repeat';
  }

  /** Asked right before the call, with nothing to wait for in between. */
  private mayPay({ lease }: ClaimedAttempt, { capabilities }: PayoutProvider): boolean {
    return leftOf(lease, this.clock) >= capabilities.callTimeoutMs;
  }

  private toInstruction(attempt: ClaimedAttempt): PayoutInstruction {
    const { details, destination } = attempt.transaction;
    return {
      attemptId: attempt.providerReference,
      orderId: String(details.id),
      amount: attempt.amount,
      traceparent: details.traceparent,
      destination: this.vault.open(details.id, details.amount.currency, destination),
    };
  }
}

/** What was acknowledged and is not found has been forgotten: that proves nothing, however old it is. */
function notFoundProves(
  { sentUntil, isAcknowledged }: ClaimedAttempt,
  { capabilities }: PayoutProvider,
  askedAt: Date,
): boolean {
  const { notFoundProvesAfterMs } = capabilities;
  if (notFoundProvesAfterMs === null || sentUntil === null || isAcknowledged) return false;
  return askedAt.getTime() >= sentUntil.getTime() + notFoundProvesAfterMs;
}
