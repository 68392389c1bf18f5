import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { ExchangeRate } from '@vuka/contracts';
import { fail, isUsd, ok, type Result } from '@vuka/domain';
import type { Clock, Logger } from '@vuka/runtime';

import { CLOCK, LOGGER } from '@vuka/service-host';

import { above, below, parseExact } from './rate-arithmetic.js';
import { nextLevel, type RateLevel, type StepRules } from './rate-level.js';
import { RATE_SOURCE, type RateReading, type RateSource } from './rate-source.js';
import { RateStore } from './rate.store.js';

export interface RateRules extends StepRules {
  /** An older rate or peg is stale: nobody is quoted or paid by it. */
  readonly maxAgeMs: number;
  /** USD per token, 1e-18, inclusive. */
  readonly peg: { readonly least: bigint; readonly most: bigint };
  readonly tokens: readonly string[];
  /** Per side, in basis points of the mid. */
  readonly spreadBasisPoints: (currency: string) => number;
}

/** RateRules. */
export const RATE_RULES = Symbol('RATE_RULES');

/** unknown: no fresh data. */
export type Peg = 'holds' | 'off' | 'unknown';

/** Otherwise we reject the reading. */
const AHEAD_MS = 30_000;
const ONE = 10n ** 18n;

/**
 * Checks age, jumps and pegs; answers from memory. Rates are stored, so that a restart does not believe a jump. Error:
 * rate_stale.
 */
@Injectable()
export class Rates implements OnModuleInit, OnApplicationShutdown {
  private readonly levels = new Map<string, RateLevel>();
  private readonly pegs = new Map<string, { readonly worth: bigint; readonly at: Date }>();
  private readAt: Date | null = null;
  /** Each active alarm is logged once. */
  private readonly alarms = new Set<string>();

  constructor(
    @Inject(RATE_SOURCE) private readonly source: RateSource,
    @Inject(RateStore) private readonly store: Pick<RateStore, 'load' | 'save'>,
    @Inject(RATE_RULES) private readonly rules: RateRules,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.remember();
    await this.refresh();
  }

  onApplicationShutdown(): Promise<void> {
    return this.source.close();
  }

  /** Call before the first refresh(). */
  async remember(): Promise<void> {
    for (const { currency, mid, at } of await this.store.load())
      this.levels.set(currency, { mid, at, candidate: null });
  }

  /** Never throws: without a source rates become stale. */
  async refresh(): Promise<void> {
    try {
      await this.take(await this.source.read());
      this.alarms.delete('rates_unreadable');
    } catch (error) {
      this.alarm('rates_unreadable', { err: error }, 'the rates could not be read');
    }
    for (const currency of this.levels.keys()) this.checkAge(currency);
    for (const symbol of this.rules.tokens) this.checkPeg(symbol);
  }

  exchangeRate(currency: string): Result<ExchangeRate> {
    const mid = this.freshMid(currency);
    if (!mid.ok) return mid;
    const spread = this.rules.spreadBasisPoints(currency);
    return ok({
      buying_rate: below(mid.value, spread),
      selling_rate: above(mid.value, spread),
      quoted_rate: below(mid.value, 0),
    });
  }

  /** Per whole token. `symbol` null: any token, without a peg check. */
  buyingRate(currency: string, symbol: string | null): Result<string> {
    const peg = symbol === null ? 'holds' : this.pegOf(symbol);
    // Pegs are not stored.
    if (peg === 'unknown')
      return fail({ code: 'rate_stale', message: `It is not known what ${symbol} is worth. Ask again in a minute` });
    if (peg === 'off')
      return fail({
        code: 'rate_stale',
        message: `${symbol} is not worth a dollar at the moment: it is not bought until it is again`,
      });
    const rate = this.exchangeRate(currency);
    return rate.ok ? ok(rate.value.buying_rate) : rate;
  }

  /** A reading that omits the token confirms nothing. */
  pegOf(symbol: string): Peg {
    const peg = this.pegs.get(symbol);
    if (peg === undefined || !this.isFresh(peg.at)) return 'unknown';
    const { least, most } = this.rules.peg;
    return peg.worth >= least && peg.worth <= most ? 'holds' : 'off';
  }

  private freshMid(currency: string): Result<bigint> {
    const level = isUsd(currency) ? this.readAt && { mid: ONE, at: this.readAt } : this.levels.get(currency);
    if (!level || !this.isFresh(level.at)) {
      return fail({
        code: 'rate_stale',
        message: `There is no fresh rate for ${currency} at the moment. Ask again in a minute`,
      });
    }
    return ok(level.mid);
  }

  private isFresh(at: Date): boolean {
    return this.clock.now().getTime() - at.getTime() <= this.rules.maxAgeMs;
  }

  private async take({ at, mids, pegs }: RateReading): Promise<void> {
    const now = this.clock.now();
    if (at.getTime() > now.getTime() + AHEAD_MS) throw new Error('the time of the rate source is ahead of our clock');
    if (this.readAt !== null && at < this.readAt) return;
    // Apply all of a reading or nothing.
    const told = [...mids].map(([currency, text]) => ({ currency, mid: parseExact(text) ?? refuse(currency) }));
    this.readAt = at;
    for (const [symbol, text] of pegs) this.pegs.set(symbol, { worth: parseExact(text) ?? 0n, at });
    const changed: { currency: string; mid: bigint; at: Date }[] = [];
    for (const { currency, mid } of told) {
      const level = nextLevel(this.levels.get(currency) ?? null, mid, at, this.rules);
      this.levels.set(currency, level);
      if (level.candidate === null) {
        this.alarms.delete(`rate_held ${currency}`);
        changed.push({ currency, mid, at });
      } else {
        this.alarm(
          `rate_held ${currency}`,
          { currency, candidate_since: level.candidate.since },
          'a rate jumped and is not trusted yet',
        );
      }
    }
    await this.store.save(changed);
  }

  /** It may still be off, so that alarm stays. */
  private checkPeg(symbol: string): void {
    const peg = this.pegOf(symbol);
    if (peg !== 'unknown') this.alarms.delete(`peg_stale ${symbol}`);
    if (peg === 'holds') this.alarms.delete(`token_off_peg ${symbol}`);
    if (peg === 'off')
      this.alarm(`token_off_peg ${symbol}`, { symbol }, 'a stablecoin is not worth a dollar: Vuka does not accept it');
    if (peg === 'unknown')
      this.alarm(
        `peg_stale ${symbol}`,
        { symbol },
        'the rate source gives no price for a stablecoin: Vuka does not accept it',
      );
  }

  private checkAge(currency: string): void {
    if (this.freshMid(currency).ok) this.alarms.delete(`rate_stale ${currency}`);
    else this.alarm(`rate_stale ${currency}`, { currency }, 'a rate is stale: Vuka does not quote or pay with it');
  }

  private alarm(about: string, detail: object, message: string): void {
    if (this.alarms.has(about)) return;
    this.alarms.add(about);
    this.log.error({ code: about.split(' ', 1)[0], ...detail }, message);
  }
}

function refuse(currency: string): never {
  throw new Error(`the rate source gives no number above 0 for ${currency}`);
}
