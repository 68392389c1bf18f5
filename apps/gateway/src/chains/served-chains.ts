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

export interface ServedChain {
  readonly name: string;
  readonly assets: readonly string[];
}

const FRESH_MS = 10_000;
const REST_MS = 1_000;
/** How long a request waits for a refresh if older data exists. */
const UPDATE_WAIT_MS = 300;

/** Caches the served chains, so that a pay is accepted while offramp is away. The last answer counts. */
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

  /** null: offramp has not answered yet. */
  async all(): Promise<readonly ServedChain[] | null> {
    if (this.known === null) await this.ask();
    else if (this.isDue(this.known.at)) await answerWithin(UPDATE_WAIT_MS, this.ask(), undefined);
    return this.known?.chains ?? null;
  }

  private isDue(toldAt: Moment): boolean {
    const now = momentOf(this.clock);
    return !isWithin(FRESH_MS, toldAt, now) && (this.failedAt === null || !isWithin(REST_MS, this.failedAt, now));
  }

  /** Shared by requests and bound to none: a waiting request may leave. */
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
