import { tokenAsset, type Chain, type Token } from '../chain/chain.js';
import { currencyDecimals } from '../currency/registry.js';
import { formatDecimal } from '../money/decimal.js';
import { money, subtract, zero, type Money } from '../money/money.js';
import { parseRate, type Rate, type Unit } from '../money/rate.js';

const CENT_DECIMALS = 2;
const CENT: Unit = { currency: 'USD', decimals: CENT_DECIMALS };

const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;

export const tokenUnit = (chain: Pick<Chain, 'name'>, token: Pick<Token, 'symbol' | 'decimals'>): Unit => ({
  currency: tokenAsset(chain, token),
  decimals: token.decimals,
});

/** Fiat per whole token. Throws on an invalid text. */
export function tokenRate(rate: string, currency: string, token: Unit): Rate {
  const parsed = parseRate(rate, token, { currency, decimals: currencyDecimals(currency) });
  if (!parsed.ok) throw new RangeError(`a rate ${parsed.error}`);
  return parsed.value;
}

/** Tokens for an amount of fiat, rounded up (decisions.md section 2, Rates). */
export function assetAmountDue(amount: Money, rate: string, token: Unit): Money {
  const { from, to } = tokenRate(rate, amount.currency, token);
  return money(divideUp(amount.minor * from.minor, to.minor), token.currency);
}

/**
 * What we pay if it is short within tolerance (shortfall_covered). The partner's markup pays first. `worth` is
 * floored.
 */
export function shortfallOfOurs(
  worth: Money,
  { amount, markup }: { readonly amount: Money; readonly markup: Money },
): Money {
  const beyondMarkup = subtract(subtract(amount, worth), markup);
  return beyondMarkup.minor > 0n ? beyondMarkup : zero(amount.currency);
}

/** Fiat per 1 USD; `half-up` for status rows, `up` for what is due (decisions.md section 2). */
export function amountInUsd(amount: Money, rate: string, rounding: 'half-up' | 'up' = 'half-up'): string {
  if (rounding === 'up') return formatDecimal(centsDue(amount, rate), CENT_DECIMALS);
  const { from, to } = tokenRate(rate, amount.currency, CENT);
  return formatDecimal((2n * amount.minor * from.minor + to.minor) / (2n * to.minor), CENT_DECIMALS);
}

/** US cents, rounded up. */
export function centsDue(amount: Money, rate: string): bigint {
  return assetAmountDue(amount, rate, CENT).minor;
}

/** US cents for dollar tokens, rounded up. */
export function centsOf({ minor }: Money, { decimals }: Pick<Unit, 'decimals'>): bigint {
  return divideUp(minor * 10n ** BigInt(CENT_DECIMALS), 10n ** BigInt(decimals));
}

export function leastRefund(
  { leastRefundCents }: Pick<Chain, 'leastRefundCents'>,
  { currency, decimals }: Unit,
): Money {
  return money(divideUp(leastRefundCents * 10n ** BigInt(decimals), 10n ** BigInt(CENT_DECIMALS)), currency);
}
