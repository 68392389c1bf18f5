import { Inject, Injectable } from '@nestjs/common';
import { isFinalAttempt, type AttemptState } from '@vuka/domain';
import { hasStatement, type PayoutProvider } from '@vuka/payouts';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { PayoutWake } from '../due-work/index.js';
import type { TransactionTrigger } from '../machine/index.js';
import { type ClaimedAttempt, TransactionStore } from '../transactions/index.js';
import type { ProviderEvent } from './payment-updates.js';

/** When providers are asked again about attempts that they have, and who is woken for it. */
@Injectable()
export class StatusPolls {
  constructor(
    private readonly transactions: TransactionStore,
    private readonly wake: PayoutWake,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Of an attempt about which the provider has told nothing. */
  askAgain(attempt: ClaimedAttempt, provider: PayoutProvider): Promise<void> {
    return this.at(attempt, this.poll(attempt, provider));
  }

  /** Of an attempt about which it has told nothing new. */
  checkAgain(attempt: ClaimedAttempt, provider: PayoutProvider): Promise<void> {
    return this.at(attempt, this.next(attempt, was(attempt), provider));
  }

  /** The lease may be over: what was told of the attempt is kept for whoever has it now. */
  noteLapsed(attempt: ClaimedAttempt): Promise<unknown> {
    return this.transactions.noteLapsed(attempt, this.clock.now());
  }

  /** What has ended waits for the tick, unless there is more to hear at once. */
  wakeFor(provider: string, happened: TransactionTrigger | null, mayStartAgain: boolean): void {
    const patch = happened?.change.attemptPatches?.[0];
    if (patch?.nextAt) {
      if (!isFinalAttempt(patch.state)) this.wake.pollAt(provider, patch.nextAt);
      else if (patch.nextAt <= this.clock.now()) this.wake.watches.notify(provider);
    }
    if (mayStartAgain) this.wake.starts.notify();
  }

  /** When the provider is asked about the attempt again; null: never, unless its statement speaks of it. */
  next(attempt: ClaimedAttempt, state: AttemptState, provider: PayoutProvider, answer?: ProviderEvent): Date | null {
    const now = this.clock.now().getTime();
    const { latePollScheduleMs, lateWindowMs } = provider.capabilities;
    if (!isFinalAttempt(state)) return this.poll(attempt, provider);
    // A payment that came out otherwise is in the statement.
    if (state === 'PAID' && hasStatement(provider)) return null;
    const until =
      state !== attempt.was || answer?.outcome === 'submitted' ? now + lateWindowMs : attempt.lateUntil?.getTime();
    if (until === undefined || now >= until) return null;
    // Looks grow apart: as long again as it has been since the end, within the schedule.
    const since = lateWindowMs - (until - now);
    const wait = latePollScheduleMs.find((ms) => ms >= since) ?? latePollScheduleMs.at(-1) ?? lateWindowMs;
    return new Date(Math.min(now + wait, until));
  }

  private poll({ polls }: ClaimedAttempt, { capabilities: { pollScheduleMs } }: PayoutProvider): Date {
    return new Date(this.clock.now().getTime() + (pollScheduleMs[Math.min(polls, pollScheduleMs.length - 1)] ?? 1_000));
  }

  private async at(attempt: ClaimedAttempt, nextAt: Date | null): Promise<void> {
    await this.transactions.checkAgain(attempt, nextAt);
    if (nextAt && !isFinalAttempt(was(attempt))) this.wake.pollAt(attempt.provider, nextAt);
  }
}

/** A claim takes an attempt from INTENT to SENDING before the call. */
export function was(attempt: ClaimedAttempt): AttemptState {
  return attempt.was === 'INTENT' ? 'SENDING' : attempt.was;
}
