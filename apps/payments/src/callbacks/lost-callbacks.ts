import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import type { ClaimedAttempt } from '../transactions/index.js';
import { CallbackMetrics } from './callback-metrics.js';
import { CallbackProviders } from './callback-providers.js';
import { CallbackStore } from './callback.store.js';
import { ResendCallbacks } from './resend-callbacks.js';

/** As long as pawaPay repeats a callback that we did not answer. Others repeat for longer: late ones count as lost. */
const LOST_AFTER_MS = 15 * 60_000;
/** More are not counted. */
const MOST_NOTED = 20_000;
const COUNTED_AT_ONCE = 1_000;

interface Noted {
  readonly transactionId: number;
  readonly attemptNo: number;
  readonly atMs: number;
}

/** Counts payouts that polls had to end although their provider calls back. In memory: only a metric. */
@Injectable()
export class LostCallbacks {
  /** By last poll, oldest first. */
  private readonly polled = new Map<string, Noted>();

  constructor(
    private readonly providers: CallbackProviders,
    private readonly store: CallbackStore,
    private readonly metrics: CallbackMetrics,
    private readonly resends: ResendCallbacks,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** After a poll of an attempt that was open. */
  note({ transaction, attemptNo, provider, providerReference }: ClaimedAttempt): void {
    if (this.providers.tokensOf(provider).length === 0) return;
    this.polled.delete(providerReference);
    if (this.polled.size >= MOST_NOTED) return;
    const atMs = this.clock.now().getTime();
    this.polled.set(providerReference, { transactionId: transaction.details.id, attemptNo, atMs });
  }

  /** true: there may be more. */
  async count(): Promise<boolean> {
    await this.resends.count();
    const before = this.clock.now().getTime() - LOST_AFTER_MS;
    const due = [...this.polled].slice(0, COUNTED_AT_ONCE).filter(([, { atMs }]) => atMs <= before);
    if (due.length === 0) return false;
    const lost = await this.store.neverCalledBack(due.map(([, noted]) => noted));
    for (const { provider } of lost) this.metrics.lost(provider);
    await this.resends.ask(lost);
    for (const [reference, noted] of due) if (this.polled.get(reference) === noted) this.polled.delete(reference);
    return due.length === COUNTED_AT_ONCE;
  }
}
