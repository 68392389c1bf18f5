import { fail, findWallet, ok, type Result } from '@vuka/domain';

import type { RateRules } from './rates.js';

const DEFAULT_SPREAD = 100;
const MOST_SPREAD = 2_000;
const PEG_SCALE = 10n ** 15n;

/** chains.md 3.5: a stablecoin outside 0.985 to 1.015 dollars is not bought. */
const PEG = { least: 985n * PEG_SCALE, most: 1_015n * PEG_SCALE };

export const DEFAULT_MAX_AGE_MS = 60_000;
const MAX_STEP_BASIS_POINTS = 500;
const STEP_STANDS_MS = 10 * 60_000;

/**
 * `RATE_SPREADS`: basis points by currency, such as `XXX:75,YYY:150`; a currency that is not named has 100. The error is a rule, to be put
 * behind the variable's name.
 */
export function parseSpreads(text: string): Result<ReadonlyMap<string, number>, string> {
  const spreads = new Map<string, number>();
  for (const part of text.split(',').map((one) => one.trim()).filter((one) => one !== '')) {
    const [, code = '', points = ''] = /^([A-Z]{3}):(\d{1,4})$/.exec(part) ?? [];
    if (findWallet(code) === undefined || Number(points) > MOST_SPREAD || spreads.has(code)) {
      return fail(`currency:basis points, parted by commas, each currency once and at most ${MOST_SPREAD} basis points (docs/rates.md has an example)`);
    }
    spreads.set(code, Number(points));
  }
  return ok(spreads);
}

export function rateRules(spreads: ReadonlyMap<string, number>, maxAgeMs: number = DEFAULT_MAX_AGE_MS): RateRules {
  return {
    maxAgeMs,
    maxStepBasisPoints: MAX_STEP_BASIS_POINTS,
    stepStandsMs: STEP_STANDS_MS,
    peg: PEG,
    spreadBasisPoints: (currency) => spreads.get(currency) ?? DEFAULT_SPREAD,
  };
}
