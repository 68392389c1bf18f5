import { findWallet } from '@vuka/domain';

import { refuseSetting } from './refuse-setting.js';

/** docs/operators/rates.md */
export interface RateSettings {
  /** It may hold a key: never log or show it. null: the sandbox's own rates. */
  readonly url: string | null;
  readonly maxAgeMs: number;
  /** Basis points of the mid rate kept on each side, by wallet currency. */
  readonly spreads: ReadonlyMap<string, number>;
  /** Per partner, total value. */
  readonly mostOpenQuotesCents: bigint;
}

const MOST_SPREAD = 2_000;

export const SPREADS_RULE = `currency:basis points, separated by commas, each currency once and at most ${MOST_SPREAD} basis points (docs/operators/rates.md has an example)`;

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

/** Throws SettingsError, without the URL. */
export function ratesUrlOf(variable: string, text: string): string {
  const isGood =
    text.length <= 2_000 &&
    URL.canParse(text) &&
    ['http:', 'https:'].includes(new URL(text).protocol) &&
    new URL(text).username === '';
  return isGood ? text : refuseSetting(variable, 'an absolute http or https URL without a user');
}
