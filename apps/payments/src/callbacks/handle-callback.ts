import { Inject, Injectable } from '@nestjs/common';
import type { CallbackProvider } from '@vuka/payouts';
import { type Clock, crashPoint, type Logger } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { CallbackEnvelope } from './callback-envelope.js';
import { CallbackMetrics } from './callback-metrics.js';
import { type CallbackEnd, CallbackStore, type ClaimedCallback } from './callback.store.js';
import { JudgeCallback, PATIENCE_MS } from './judge-callback.js';

/** Longer than a signature's key takes to fetch, and a commit. */
const LEASE_MS = 30_000;

/** Reads one callback, outside any transaction, and does what it is good for. A second time does nothing more. */
@Injectable()
export class HandleCallback {
  constructor(
    private readonly envelope: CallbackEnvelope,
    private readonly judge: JudgeCallback,
    private readonly store: CallbackStore,
    private readonly metrics: CallbackMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  claim({ id }: CallbackProvider, limit: number): Promise<ClaimedCallback[]> {
    const now = this.clock.now();
    return this.store.claim(id, new Date(now.getTime() + LEASE_MS), limit, now);
  }

  /** Throws if it could not be handled: its lease brings it back, for ten minutes. */
  async run(callback: ClaimedCallback, provider: CallbackProvider): Promise<void> {
    try {
      const reading = await provider.parseCallback(this.envelope.open(callback));
      crashPoint('payments.callback-read');
      const next = await this.judge.run(callback, reading, provider);
      if ('at' in next) await this.store.lookAgain(callback.id, next.at);
      else await this.end(callback, next);
    } catch (error) {
      if (this.clock.now().getTime() < callback.receivedAt.getTime() + PATIENCE_MS) throw error;
      this.log.error(
        { code: 'callback_failed', provider: provider.id, callback_id: callback.id, err: error },
        'a callback cannot be handled and is laid aside; polls find out what became of its payout',
      );
      await this.end(callback, { outcome: 'failed', signed: null, detail: '', attempt: null });
    }
  }

  private async end(callback: ClaimedCallback, end: CallbackEnd): Promise<void> {
    const { id, provider } = callback;
    if (!(await this.store.end(callback, end, this.clock.now()))) return;
    this.metrics.handled(provider, end.outcome);
    if (end.outcome === 'unknown')
      this.log.warn(
        { provider, callback_id: id, signed: end.signed, detail: end.detail },
        'a provider calls back about a payout that is not ours',
      );
  }
}
