import { fail, ok, type Result } from '../result/result.js';
import { parseDecimal } from './decimal.js';
import type { Asset, Money } from './money.js';

/** An asset with its decimals. */
export interface Unit {
  readonly currency: Asset;
  readonly decimals: number;
}

/** `to` fiat for `from` tokens, exact, never a float. */
export interface Rate {
  readonly from: Money;
  readonly to: Money;
}

const MAX_RATE_DECIMALS = 18;

/** `129.35` fiat per whole token. The error is as in parseDecimal. */
export function parseRate(text: string, from: Unit, to: Unit): Result<Rate, string> {
  const parsed = parseDecimal(text, MAX_RATE_DECIMALS);
  if (!parsed.ok) return parsed;
  if (parsed.value === 0n) return fail('must be more than 0');
  return ok({
    from: { minor: 10n ** BigInt(MAX_RATE_DECIMALS + from.decimals), currency: from.currency },
    to: { minor: parsed.value * 10n ** BigInt(to.decimals), currency: to.currency },
  });
}

/** Floored: the remainder stays in `fx` (money.md section 4). */
export function convertFloor(tokens: Money, { from, to }: Rate): Money {
  if (tokens.currency !== from.currency)
    throw new TypeError(`a rate from ${from.currency} is asked about ${tokens.currency}`);
  if (tokens.minor < 0n || from.minor <= 0n || to.minor <= 0n) {
    throw new RangeError('convertFloor takes an amount of at least 0 and a rate above 0');
  }
  return { minor: (tokens.minor * to.minor) / from.minor, currency: to.currency };
}
