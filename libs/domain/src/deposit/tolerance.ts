import { add, compare, money, subtract, zero, type Money } from '../money/money.js';
import type { Unit } from '../money/rate.js';

export interface Coverage {
  /** `surplus`: above the amount due plus the tolerance. */
  readonly verdict: 'short' | 'covered' | 'surplus';
  /** The part above the tolerance. */
  readonly surplus: Money;
}

/** The greater of 0.01 token and 0.1 %, but at most 1 % (decisions.md section 4). */
export function shortfallTolerated({ minor, currency }: Money, { decimals }: Pick<Unit, 'decimals'>): Money {
  const hundredthOfToken = 10n ** BigInt(decimals) / 100n;
  const [thousandth, hundredth] = [minor / 1000n, minor / 100n];
  const wanted = thousandth > hundredthOfToken ? thousandth : hundredthOfToken;
  return money(wanted < hundredth ? wanted : hundredth, currency);
}

/** The only comparison for pays, quotes, orders and the payment page. */
export function coverageOf(received: Money, due: Money, token: Pick<Unit, 'decimals'>): Coverage {
  const tolerated = shortfallTolerated(due, token);
  const most = add(due, tolerated);
  if (compare(received, most) > 0) return { verdict: 'surplus', surplus: subtract(received, most) };
  const isShort = compare(add(received, tolerated), due) < 0;
  return { verdict: isShort ? 'short' : 'covered', surplus: zero(due.currency) };
}
