import { Inject, Injectable } from '@nestjs/common';
import { isFinalAttempt } from '@vuka/domain';
import { type CallbackProvider, type CallbackReading, MAX_TEXT, providerText } from '@vuka/payouts';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { PayoutWake } from '../due-work/index.js';
import { type CalledBackAttempt, type CallbackEnd, CallbackStore, type ClaimedCallback } from './callback.store.js';
import { RecordCallback, type RecordedCallback } from './record-callback.js';

/** To be looked at again then. */
export interface LookAgain {
  readonly at: Date;
}

/** An id is committed before its call, so one that is not known by then is not ours. */
export const PATIENCE_MS = 10 * 60_000;
/** By looks; the last one repeats. */
const LOOK_AGAIN_MS = [1_000, 2_000, 5_000, 15_000, 30_000, 60_000];
/** Callbacks have an attempt asked once within this time. */
export const ASK_EVERY_MS = 5_000;
const BUSY_MS = 1_000;
const MOST_IDS = 8;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a callback that was read is good for. */
@Injectable()
export class JudgeCallback {
  constructor(
    private readonly store: CallbackStore,
    private readonly records: RecordCallback,
    private readonly wake: PayoutWake,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async run(
    callback: ClaimedCallback,
    reading: CallbackReading,
    provider: CallbackProvider,
  ): Promise<CallbackEnd | LookAgain> {
    const { signed } = reading;
    const detail = providerText(reading.detail, MAX_TEXT.detail);
    const ids = idsOf(callback, reading);
    if (ids.length === 0) return { outcome: 'unreadable', signed, detail, attempt: null };
    const attempt = await this.store.attemptOf(provider.id, ids);
    if (attempt === undefined || attempt.state === 'INTENT')
      return (
        this.again(callback, LOOK_AGAIN_MS[callback.looks - 1] ?? LOOK_AGAIN_MS.at(-1)) ?? {
          outcome: 'unknown',
          signed,
          detail: `names ${ids.join(', ')}`,
          attempt: attempt ?? null,
        }
      );
    const done = await this.record(callback, attempt, reading, provider);
    if (done === 'recorded' || done === 'known' || done === 'no_answer')
      return { outcome: done, signed, detail, attempt };
    const again = done === 'busy' ? this.again(callback, BUSY_MS) : null;
    if (again !== null) return again;
    return (await this.ask(callback, attempt, provider)) ?? { outcome: 'asked', signed, detail, attempt };
  }

  /** What it proves, as an answer or by its signature. */
  private async record(
    { receivedAt, attemptReference }: ClaimedCallback,
    attempt: CalledBackAttempt,
    reading: CallbackReading,
    provider: CallbackProvider,
  ): Promise<RecordedCallback> {
    const { askedAt, providerReference } = attempt;
    if (provider.capabilities.queryAnswersByCallback && askedAt !== null && askedAt <= receivedAt) {
      if (!reading.signed && attemptReference !== providerReference) return 'no_answer';
      const done = await this.records.answer(attempt, reading, provider, receivedAt);
      // A signed payment overrules what people have settled.
      if (done !== 'busy' || !reading.signed) return done;
    }
    return reading.signed ? this.records.run(attempt, reading, provider) : 'ask';
  }

  /** null: it is asked after this callback came, which may be for another one. */
  private async ask(
    { receivedAt }: ClaimedCallback,
    attempt: CalledBackAttempt,
    { id }: CallbackProvider,
  ): Promise<LookAgain | null> {
    const { calledBackAt } = attempt;
    if (calledBackAt !== null && calledBackAt >= receivedAt) return null;
    const now = this.clock.now();
    if (!(await this.store.ask(attempt, now, new Date(now.getTime() - ASK_EVERY_MS))))
      return { at: new Date(Math.max(now.getTime() + BUSY_MS, (calledBackAt?.getTime() ?? 0) + ASK_EVERY_MS)) };
    (isFinalAttempt(attempt.state) ? this.wake.watches : this.wake.polls).notify(id);
    return null;
  }

  /** null: it has waited long enough. */
  private again({ receivedAt }: ClaimedCallback, inMs = BUSY_MS): LookAgain | null {
    const now = this.clock.now().getTime();
    const until = receivedAt.getTime() + PATIENCE_MS;
    return now >= until ? null : { at: new Date(Math.min(now + inMs, until)) };
  }
}

/** The path's id first: it was checked. */
function idsOf({ attemptReference }: ClaimedCallback, { attemptIds }: CallbackReading): string[] {
  const named = [...(attemptReference === null ? [] : [attemptReference]), ...attemptIds];
  return [...new Set(named.filter((id) => UUID.test(id)).map((id) => id.toLowerCase()))].slice(0, MOST_IDS);
}
