import { Inject, Injectable } from '@nestjs/common';
import { decideAttempt } from '@vuka/domain';
import {
  type PayoutInstruction,
  type PayoutProvider,
  type ProviderAnswer,
  TOO_LATE,
  type TooLate,
} from '@vuka/payouts';
import { type Clock, crashPoint, type Logger, type MonotonicClock } from '@vuka/runtime';
import { CLOCK, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { leftOf } from '../due-work/index.js';
import { AttemptClaims, type ClaimedAttempt, type ClaimPurpose, DestinationVault } from '../transactions/index.js';
import { AttemptAges } from './calls/attempt-ages.js';
import { instructionOf } from './calls/instruction-of.js';
import { NEVER_TAKEN } from './payment-updates.js';
import { RecordProviderAnswer } from './record-provider-answer.js';

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
  private readonly ages: AttemptAges;

  constructor(
    @Inject(PAYOUT_PROVIDERS) providers: readonly PayoutProvider[],
    private readonly vault: DestinationVault,
    private readonly answers: RecordProviderAnswer,
    private readonly claims: AttemptClaims,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.providers = new Map(providers.map((provider) => [provider.id, provider]));
    this.ages = new AttemptAges(clock);
  }

  async run(purpose: ClaimPurpose, attempt: ClaimedAttempt): Promise<void> {
    const provider = this.providers.get(attempt.provider);
    if (!provider)
      throw new Error(`attempts of ${attempt.provider} are claimed only where that provider is configured`);
    crashPoint('payments.after-claim');
    if (attempt.isStopped) return this.answers.giveUp(attempt);
    const answer = await this.call(purpose, attempt, provider);
    if (answer.outcome === 'too_late') {
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
  ): Promise<ProviderAnswer | TooLate> {
    const instruction = instructionOf(attempt, this.vault);
    // A provider that lists the id has it, even if we recorded no call.
    if (attempt.was === 'INTENT' && !attempt.isAcknowledged)
      return this.submit(attempt, provider, instruction, () => this.mayPay(attempt, provider));
    if (purpose === 'watch') return this.query(attempt, provider, instruction);
    if (attempt.was !== 'PENDING') this.ages.see(attempt);
    if (purpose === 'submit') return this.repeat(attempt, provider, instruction, INTERRUPTED);
    // Before the question: what it hears is as old.
    const wouldProve = this.notFoundWouldProve(attempt, provider);
    const answer = await this.query(attempt, provider, instruction);
    if (answer.outcome !== 'unknown') return answer;
    return answer.notFound === true && wouldProve ? NEVER_TAKEN : this.repeat(attempt, provider, instruction, answer);
  }

  /** An answer by callback may be faster than that of the call. */
  private async query(
    attempt: ClaimedAttempt,
    provider: PayoutProvider,
    instruction: PayoutInstruction,
  ): Promise<ProviderAnswer> {
    if (provider.capabilities.queryAnswersByCallback) await this.claims.beginQuestion(attempt, this.clock.now());
    return provider.query(instruction);
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
  ): Promise<ProviderAnswer | TooLate> {
    if (!this.mayRepeat(attempt, provider)) return otherwise;
    if (!this.mayPay(attempt, provider)) return TOO_LATE;
    if (!(await this.claims.beginRepeat(attempt))) return otherwise;
    // The commit took time too.
    const mayStill = (): boolean => this.mayPay(attempt, provider) && this.mayRepeat(attempt, provider);
    const answer = await this.submit(attempt, provider, instruction, mayStill);
    if (answer.outcome !== 'deferred' && answer.outcome !== 'not_paid') return answer;
    return { outcome: 'unknown', detail: `a repeated call was refused: ${answer.detail}` };
  }

  /** `mayPay` is asked again by a provider that makes other calls before the one that pays. */
  private async submit(
    attempt: ClaimedAttempt,
    provider: PayoutProvider,
    instruction: PayoutInstruction,
    mayPay: () => boolean,
  ): Promise<ProviderAnswer | TooLate> {
    if (!mayPay()) return TOO_LATE;
    const answer = await provider.submit(instruction, { mayPay });
    if (answer.outcome === 'unknown') this.ages.sent(attempt);
    return answer;
  }

  /** The call must end while the provider deduplicates. In REVIEW the provider contradicts us, so people decide. */
  private mayRepeat(attempt: ClaimedAttempt, { capabilities }: PayoutProvider): boolean {
    const { was, isAcknowledged, transaction } = attempt;
    const { dedupesForMs, callTimeoutMs } = capabilities;
    const since = this.ages.sinceFirstSent(attempt);
    const isDeduped = dedupesForMs !== null && since !== null && since + callTimeoutMs < dedupesForMs;
    const mayRepeat = isDeduped && !isAcknowledged && transaction.life.state !== 'REVIEW';
    return decideAttempt(was, 'sending', { mayRepeat }).kind === 'repeat';
  }

  /** Asked right before the call, with no await between. */
  private mayPay({ lease }: ClaimedAttempt, { capabilities }: PayoutProvider): boolean {
    return leftOf(lease, this.clock) >= capabilities.callTimeoutMs;
  }

  /** Acknowledged but not found means forgotten: no proof, however old. */
  private notFoundWouldProve(attempt: ClaimedAttempt, { capabilities }: PayoutProvider): boolean {
    const { notFoundProvesAfterMs } = capabilities;
    return (
      notFoundProvesAfterMs !== null && !attempt.isAcknowledged && this.ages.isQuietFor(notFoundProvesAfterMs, attempt)
    );
  }
}
