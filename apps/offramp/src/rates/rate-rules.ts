import type { RateSettings } from '@vuka/config';
import { ACCEPTED_SYMBOLS } from '@vuka/domain';

import type { RateRules } from './rates.js';

/** If RATE_SPREADS does not name the currency. */
const DEFAULT_SPREAD = 100;
const PEG_SCALE = 10n ** 15n;

/** Outside 0.985 to 1.015 dollars a stablecoin is not bought. */
const PEG = { least: 985n * PEG_SCALE, most: 1_015n * PEG_SCALE };

const MAX_STEP_BASIS_POINTS = 500;
const STEP_STANDS_MS = 10 * 60_000;

export function rateRules({ spreads, maxAgeMs }: Pick<RateSettings, 'spreads' | 'maxAgeMs'>): RateRules {
  return {
    maxAgeMs,
    maxStepBasisPoints: MAX_STEP_BASIS_POINTS,
    stepStandsMs: STEP_STANDS_MS,
    peg: PEG,
    tokens: ACCEPTED_SYMBOLS,
    spreadBasisPoints: (currency) => spreads.get(currency) ?? DEFAULT_SPREAD,
  };
}
