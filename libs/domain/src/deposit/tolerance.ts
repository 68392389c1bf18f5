import { add, compare, money, subtract, zero, type Money } from '../money/money.js';
import type { Unit } from '../money/rate.js';

/** What was received against what is due. */
export interface Coverage {
  /** `short`: it does not pay what is due. `surplus`: more than that and the tolerance once more. */
  readonly verdict: 'short' | 'covered' | 'surplus';
  /** What came beyond the tolerance; zero where there is no surplus. */
  readonly surplus: Money;
}

/**
 * What may be missing of an amount due: the greater of 0.01 token and 0.1 %, never more than 1 % of what is due (decisions.md section 4).
 */
export function shortfallTolerated({ minor, currency }: Money, { decimals }: Pick<Unit, 'decimals'>): Money {
  const hundredthOfToken = 10n ** BigInt(decimals) / 100n;
  const [thousandth, hundredth] = [minor / 1000n, minor / 100n];
  const wanted = thousandth > hundredthOfToken ? thousandth : hundredthOfToken;
  return money(wanted < hundredth ? wanted : hundredth, currency);
}

/** Whether what was received pays what is due, or is more: pays, quotes, orders and the payment page all ask here, and nowhere else. */
export function coverageOf(received: Money, due: Money, token: Pick<Unit, 'decimals'>): Coverage {
  const tolerated = shortfallTolerated(due, token);
  const most = add(due, tolerated);
  if (compare(received, most) > 0) return { verdict: 'surplus', surplus: subtract(received, most) };
  const isShort = compare(add(received, tolerated), due) < 0;
  return { verdict: isShort ? 'short' : 'covered', surplus: zero(due.currency) };
}
