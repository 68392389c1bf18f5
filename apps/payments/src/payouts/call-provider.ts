import { Inject, Injectable } from '@nestjs/common';
import { decideAttempt } from '@vuka/domain';
import type { PayoutInstruction, PayoutProvider, ProviderAnswer } from '@vuka/payouts';
import { type Clock, crashPoint, type Logger, type MonotonicClock } from '@vuka/runtime';
import { CLOCK, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { leftOf } from '../due-work/index.js';
import { type ClaimedAttempt, type ClaimPurpose, DestinationVault, TransactionStore } from '../transactions/index.js';
import { NEVER_TAKEN } from './payment-updates.js';
import { RecordProviderAnswer } from './record-provider-answer.js';

const TOO_LATE = 'too_late';
const INTERRUPTED: ProviderAnswer = { outcome: 'unknown', detail: 'an earlier call under this id was interrupted' };

/**
 * Makes one call for a claimed attempt, outside any database transaction. A call that pays is repeated only under
 * the same id, while the provider deduplicates it, and never after an acknowledgement.
 *
 * It leaves only if the claim lasts longer than the call. After a pause somebody else may have the attempt, and
 * people may have settled it as not paid.
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
    const instruction = instructionOf(attempt, this.vault);
    // A provider that lists the id has it, even if we recorded no call.
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
   * Sends the same id again, or resolves with `otherwise` if not allowed. A refused repeat proves nothing about
   * the earlier call: only a query could.
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
    // The commit took time too.
    if (!this.mayPay(attempt, provider) || !this.mayRepeat(attempt, provider)) return TOO_LATE;
    const answer = await provider.submit(instruction);
    if (answer.outcome !== 'deferred' && answer.outcome !== 'not_paid') return answer;
    return { outcome: 'unknown', detail: `a repeated call was refused: ${answer.detail}` };
  }

  /** The call must end while the provider deduplicates. In REVIEW the provider contradicts us, so people decide. */
  private mayRepeat(
    { was, firstSentAt, isAcknowledged, transaction }: ClaimedAttempt,
    { capabilities }: PayoutProvider,
  ): boolean {
    const { dedupesForMs, callTimeoutMs } = capabilities;
    const since = this.clock.now().getTime() - firstSentAt.getTime();
    // After a clock was set back, the age is unknown.
    const isDeduped = dedupesForMs !== null && since >= 0 && since + callTimeoutMs < dedupesForMs;
    const mayRepeat = isDeduped && !isAcknowledged && transaction.life.state !== 'REVIEW';
    return decideAttempt(was, 'sending', { mayRepeat }).kind === 'repeat';
  }

  /** Asked right before the call, with no await between. */
  private mayPay({ lease }: ClaimedAttempt, { capabilities }: PayoutProvider): boolean {
    return leftOf(lease, this.clock) >= capabilities.callTimeoutMs;
  }
}

/** The same for every call, and for what a callback is held against. */
export function instructionOf(
  { transaction, providerReference, amount }: Pick<ClaimedAttempt, 'transaction' | 'providerReference' | 'amount'>,
  vault: DestinationVault,
): PayoutInstruction {
  const { details, destination } = transaction;
  return {
    attemptId: providerReference,
    orderId: String(details.id),
    amount,
    traceparent: details.traceparent,
    destination: vault.open(details.id, details.amount.currency, destination),
  };
}

/** Acknowledged but not found means forgotten: no proof, however old. */
function notFoundProves(
  { sentUntil, isAcknowledged }: ClaimedAttempt,
  { capabilities }: PayoutProvider,
  askedAt: Date,
): boolean {
  const { notFoundProvesAfterMs } = capabilities;
  if (notFoundProvesAfterMs === null || sentUntil === null || isAcknowledged) return false;
  return askedAt.getTime() >= sentUntil.getTime() + notFoundProvesAfterMs;
}
