import { Inject, Injectable } from '@nestjs/common';
import { isFinalAttempt, type AttemptState } from '@vuka/domain';
import { hasStatement, type PayoutProvider, type ProviderAnswer } from '@vuka/payouts';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { PayoutWake } from '../due-work/index.js';
import type { TransactionTrigger } from '../machine/index.js';
import { AttemptEnds } from '../provider-watch/index.js';
import { AttemptClaims, type ClaimedAttempt } from '../transactions/index.js';
import { ownIdOf } from './calls/own-id.js';
import type { ProviderEvent } from './payment-updates.js';

@Injectable()
export class StatusPolls {
  constructor(
    private readonly claims: AttemptClaims,
    private readonly wake: PayoutWake,
    private readonly ends: AttemptEnds,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  now(): Date {
    return this.clock.now();
  }

  /** After any answer. */
  heard(attempt: ClaimedAttempt, answer: ProviderAnswer): void {
    if (answer.outcome === 'submitted' && answer.waitsForUs !== undefined) this.ends.waits(attempt, answer.waitsForUs);
  }

  /** After a failed query. */
  askAgain(attempt: ClaimedAttempt, provider: PayoutProvider): Promise<void> {
    return this.at(attempt, this.poll(attempt, provider));
  }

  /** After an answer with nothing new, or none yet. */
  checkAgain(attempt: ClaimedAttempt, provider: PayoutProvider, answer?: ProviderEvent): Promise<void> {
    return this.at(attempt, this.next(attempt, was(attempt), provider), (answer && ownIdOf(answer)) ?? null);
  }

  /**
   * The lease may be over: whoever has the attempt now needs this. Resolves with the provider's own id that is
   * kept.
   */
  noteLapsed(attempt: ClaimedAttempt, answer: ProviderEvent): Promise<string | null> {
    return this.claims.noteLapsed(attempt, ownIdOf(answer) ?? null, this.clock.now());
  }

  /** After an answer was recorded. An ended attempt waits for the tick, unless there is another update. */
  recorded(attempt: ClaimedAttempt, happened: TransactionTrigger | null, answer: ProviderEvent): void {
    const { provider } = attempt;
    const patch = happened?.change.attemptPatches?.[0];
    if (patch?.nextAt) {
      if (!isFinalAttempt(patch.state)) this.wake.pollAt(provider, patch.nextAt);
      else if (patch.nextAt <= this.clock.now()) this.wake.watches.notify(provider);
    }
    if (patch && patch.endedBy !== null && !isFinalAttempt(was(attempt)))
      this.ends.ended(attempt, patch.endedBy, answer);
    else if (answer.outcome === 'unknown' && attempt.was === 'INTENT') this.ends.unanswered(attempt);
    // Back in the queue, the payment may have another route at once.
    if (answer.outcome === 'not_paid' || answer.outcome === 'deferred') this.wake.starts.notify();
  }

  /** null: never, unless its statement names it. */
  next(attempt: ClaimedAttempt, state: AttemptState, provider: PayoutProvider, answer?: ProviderEvent): Date | null {
    const now = this.clock.now().getTime();
    const { latePollScheduleMs, lateWindowMs, statementTellsReturns = false } = provider.capabilities;
    if (!isFinalAttempt(state)) return this.poll(attempt, provider);
    if (state === 'PAID' && statementTellsReturns && hasStatement(provider)) return null;
    const until = state !== attempt.was || reopens(answer) ? now + lateWindowMs : attempt.lateUntil?.getTime();
    if (until === undefined || now >= until) return null;
    // The next poll waits as long as the attempt has been ended, rounded to the schedule.
    const since = lateWindowMs - (until - now);
    const wait = latePollScheduleMs.find((ms) => ms >= since) ?? latePollScheduleMs.at(-1) ?? lateWindowMs;
    return new Date(Math.min(now + wait, until));
  }

  private poll({ polls }: ClaimedAttempt, { capabilities: { pollScheduleMs } }: PayoutProvider): Date {
    return new Date(this.clock.now().getTime() + (pollScheduleMs[Math.min(polls, pollScheduleMs.length - 1)] ?? 1_000));
  }

  private async at(
    attempt: ClaimedAttempt,
    nextAt: Date | null,
    providerPaymentId: string | null = null,
  ): Promise<void> {
    await this.claims.checkAgain(attempt, nextAt, providerPaymentId);
    if (nextAt && !isFinalAttempt(was(attempt))) this.wake.pollAt(attempt.provider, nextAt);
  }
}

/** The provider works again on what had ended: it may be late again. */
export function reopens(answer?: ProviderEvent): boolean {
  return answer?.outcome === 'submitted';
}

/** A claim sets INTENT to SENDING before the call. */
export function was(attempt: ClaimedAttempt): AttemptState {
  return attempt.was === 'INTENT' ? 'SENDING' : attempt.was;
}
