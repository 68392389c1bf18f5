import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { CallbackMetrics } from './callback-metrics.js';
import { CallbackProviders } from './callback-providers.js';
import { CallbackStore, type LostCallback } from './callback.store.js';

/** As long as pawaPay, the one that can be asked, repeats what we did not answer. */
const COMES_WITHIN_MS = 15 * 60_000;
/** Asked for within a minute, by one process. */
const ASKED_AT_ONCE = 5;
/** Waited for at one time. */
const MOST_WAITING = 500;

interface Resent extends LostCallback {
  readonly atMs: number;
}

/**
 * Has providers call back once more about some payouts whose callbacks never came. One that comes then shows that our
 * door is open; if none comes, it is shut, or the provider does not call. The outcome of a payout never waits for it.
 */
@Injectable()
export class ResendCallbacks {
  private waiting: Resent[] = [];

  constructor(
    private readonly providers: CallbackProviders,
    private readonly store: CallbackStore,
    private readonly metrics: CallbackMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Of attempts that ended, each once. */
  async ask(lost: readonly LostCallback[]): Promise<void> {
    const asked = lost
      .filter(({ provider }) => this.providers.find(provider)?.resend !== undefined)
      .slice(0, Math.min(ASKED_AT_ONCE, MOST_WAITING - this.waiting.length));
    await Promise.all(asked.map((one) => this.askFor(one)));
  }

  async count(): Promise<void> {
    const before = this.clock.now().getTime() - COMES_WITHIN_MS;
    const due = this.waiting.filter(({ atMs }) => atMs <= before);
    if (due.length === 0) return;
    this.waiting = this.waiting.filter(({ atMs }) => atMs > before);
    const silent = new Set((await this.store.neverCalledBack(due)).map(({ providerReference }) => providerReference));
    for (const { provider, providerReference } of due)
      this.metrics.resent(provider, silent.has(providerReference) ? 'silent' : 'came');
  }

  private async askFor(lost: LostCallback): Promise<void> {
    const { provider, providerReference } = lost;
    const answer = await this.providers.find(provider)?.resend?.(providerReference);
    if (answer === undefined) return;
    if (answer.outcome === 'resent') {
      this.waiting.push({ ...lost, atMs: this.clock.now().getTime() });
      return;
    }
    this.metrics.resent(provider, answer.outcome);
    this.log.warn(
      { provider, attempt_id: providerReference, detail: answer.detail },
      'a provider does not call back again',
    );
  }
}
