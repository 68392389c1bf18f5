import { Inject, Injectable } from '@nestjs/common';
import type { paymentsApi } from '@vuka/contracts';
import { fail, ok, type Problem, type Result } from '@vuka/domain';
import { attemptIdIn, type CallbackProvider, isOneOf } from '@vuka/payouts';
import { type Clock, crashPoint, isWithin, type Moment, momentOf, type MonotonicClock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';
import type { z } from 'zod';

import { PayoutWake } from '../due-work/index.js';
import { CallbackEnvelope } from './callback-envelope.js';
import { CallbackMetrics } from './callback-metrics.js';
import { CallbackProviders } from './callback-providers.js';
import { CallbackStore } from './callback.store.js';

export type TakeCallbackInput = z.output<(typeof paymentsApi)['operations']['takeCallback']['input']>;

/** Of one provider, not handled or not known. Whoever has a path must not fill the disk. */
export const MOST_OPEN = 10_000;
const COUNTED_EVERY_MS = 10_000;

const NOBODYS: Problem = { code: 'not_found', message: 'No provider has this path' };
const FULL: Problem = { code: 'service_unavailable', message: 'Too many callbacks of this provider wait already' };

/**
 * Keeps what a provider calls back, as it came. Nothing is read here. A wrong provider, token and attempt look the
 * same, and take the same time.
 */
@Injectable()
export class TakeCallback {
  private readonly counted = new Map<string, { readonly at: Moment; readonly isFull: boolean }>();

  constructor(
    private readonly providers: CallbackProviders,
    private readonly envelope: CallbackEnvelope,
    private readonly store: CallbackStore,
    private readonly wake: PayoutWake,
    private readonly metrics: CallbackMetrics,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
  ) {}

  /** Errors: not_found, service_unavailable. */
  async run({ token, attempt_token, body, ...input }: TakeCallbackInput): Promise<Result<{ answer: string }>> {
    const provider = this.providers.find(input.provider);
    const tokens = this.providers.tokensOf(input.provider);
    const isOurs = isOneOf(token, tokens);
    const attemptReference = attempt_token === null ? null : attemptIdIn(attempt_token, tokens);
    if (provider === undefined || !isOurs || (attempt_token !== null && attemptReference === null))
      return fail(NOBODYS);
    if (await this.isFull(provider)) {
      this.metrics.received(provider.id, 'refused');
      return fail(FULL);
    }
    const { method, host, path, headers } = input;
    const received = { provider: provider.id, method, host, path, headers, body: Buffer.from(body, 'base64') };
    const times = await this.store.keep(this.envelope.seal({ ...received, attemptReference }), this.clock.now());
    crashPoint('payments.callback-stored');
    this.metrics.received(provider.id, times === 1 ? 'new' : 'repeat');
    this.wake.callbacks.notify(provider.id);
    return ok({ answer: provider.callbackAnswer ?? '{}' });
  }

  private async isFull({ id }: CallbackProvider): Promise<boolean> {
    const known = this.counted.get(id);
    const now = momentOf(this.clock);
    if (known !== undefined && isWithin(COUNTED_EVERY_MS, known.at, now)) return known.isFull;
    const isFull = (await this.store.countOpen(id, MOST_OPEN)) >= MOST_OPEN;
    this.counted.set(id, { at: now, isFull });
    return isFull;
  }
}
