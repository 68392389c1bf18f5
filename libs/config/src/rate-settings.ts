import { findWallet } from '@vuka/domain';

import { refuseSetting } from './refuse-setting.js';

/** Where rates come from and what is kept of them (docs/operators/rates.md). Read by offramp alone. */
export interface RateSettings {
  /** It may hold a key: never logged, never told. null: none is set; the sandbox has rates of its own. */
  readonly url: string | null;
  /** A rate or a peg that was not confirmed for longer is stale. */
  readonly maxAgeMs: number;
  /** Basis points of the middle kept on each side, by wallet currency; those that are not named have a default. */
  readonly spreads: ReadonlyMap<string, number>;
  /** What one partner's open quotes may be worth together: US cents. */
  readonly mostOpenQuotesCents: bigint;
}

const MOST_SPREAD = 2_000;

export const SPREADS_RULE = `currency:basis points, parted by commas, each currency once and at most ${MOST_SPREAD} basis points (docs/operators/rates.md has an example)`;

/** Throws SettingsError. */
export function spreadsOf(text: string): ReadonlyMap<string, number> {
  const spreads = new Map<string, number>();
  for (const part of text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')) {
    const [, code = '', points = ''] = /^([A-Z]{3}):(\d{1,4})$/.exec(part) ?? [];
    if (findWallet(code) === undefined || Number(points) > MOST_SPREAD || spreads.has(code))
      return refuseSetting('RATE_SPREADS', SPREADS_RULE);
    spreads.set(code, Number(points));
  }
  return spreads;
}

/** Throws SettingsError, which does not tell the URL. */
export function ratesUrlOf(variable: string, text: string): string {
  const isGood =
    text.length <= 2_000 &&
    URL.canParse(text) &&
    ['http:', 'https:'].includes(new URL(text).protocol) &&
    new URL(text).username === '';
  return isGood ? text : refuseSetting(variable, 'an absolute http or https URL without a user');
}
