import { Inject, Injectable } from '@nestjs/common';
import { offrampApi, type InternalClient } from '@vuka/contracts';
import { newCallContext } from '@vuka/http';
import {
  answerWithin,
  type Clock,
  isWithin,
  type Logger,
  type Moment,
  momentOf,
  type MonotonicClock,
} from '@vuka/runtime';
import { CLOCK, LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';

/** A chain that deposits are looked for on, and the tokens that count there. */
export interface ServedChain {
  readonly name: string;
  readonly assets: readonly string[];
}

const FRESH_MS = 10_000;
/** After a try that failed, what is known serves so long before the next one. */
const REST_MS = 1_000;
/** The longest that a request waits for news where something is known already. */
const NEWS_WAIT_MS = 300;

/**
 * Which chains are served, remembered: offramp may be away, and a pay is accepted all the same. What was told last
 * counts until offramp tells otherwise.
 */
@Injectable()
export class ServedChains {
  private known: { readonly chains: readonly ServedChain[]; readonly at: Moment } | null = null;
  private failedAt: Moment | null = null;
  private asking: Promise<void> | null = null;

  constructor(
    @Inject(clientOf(offrampApi)) private readonly offramp: Pick<InternalClient<typeof offrampApi>, 'listChains'>,
    @Inject(CLOCK) private readonly clock: Clock & MonotonicClock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** null where offramp has not told yet, and cannot be asked now. */
  async all(): Promise<readonly ServedChain[] | null> {
    if (this.known === null) await this.ask();
    else if (this.isDue(this.known.at)) await answerWithin(NEWS_WAIT_MS, this.ask(), undefined);
    return this.known?.chains ?? null;
  }

  private isDue(toldAt: Moment): boolean {
    const now = momentOf(this.clock);
    return !isWithin(FRESH_MS, toldAt, now) && (this.failedAt === null || !isWithin(REST_MS, this.failedAt, now));
  }

  /** One question at a time, of no request's own: who waits for it may leave. */
  private ask(): Promise<void> {
    this.asking ??= this.learn().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  private async learn(): Promise<void> {
    const { offramp, clock, log } = this;
    const told = await read(log, () => offramp.listChains({}, newCallContext()));
    const at = momentOf(clock);
    this.failedAt = told.ok ? null : at;
    if (told.ok) this.known = { chains: told.value.chains, at };
  }
}
