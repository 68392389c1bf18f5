import type { Chain, Token } from '../chain/chain.js';
import { currencyDecimals } from '../currency/registry.js';
import { formatDecimal, parseRate, type Rate } from '../money/money.js';

/** Decimals of amounts in US dollars as they are answered, and of what finality is chosen by. */
const CENT_DECIMALS = 2;

type Decimals = Pick<Token, 'decimals'>;

const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;

/** A rate (fiat per whole token) between the minor units of a token and of a currency. Throws on a text that is no rate: rates are checked where they come in. */
export function tokenRate(rate: string, currency: string, { decimals }: Decimals): Rate {
  const parsed = parseRate(rate, decimals, currencyDecimals(currency));
  if (!parsed.ok) throw new RangeError(`a rate ${parsed.error}`);
  return parsed.value;
}

/** What covers an amount of fiat: token minor units, rounded up (decisions.md section 2, Rates). */
export function assetAmountDue(amountMinor: bigint, rate: string, currency: string, token: Decimals): bigint {
  const { fromMinor, toMinor } = tokenRate(rate, currency, token);
  return divideUp(amountMinor * fromMinor, toMinor);
}

/**
 * What may be missing of an amount due, in the token's minor units: the greater of 0.01 token and 0.1 %, never more than 1 % of
 * what is due (decisions.md section 4).
 */
export function shortfallTolerated(dueMinor: bigint, { decimals }: Decimals): bigint {
  const hundredthOfToken = 10n ** BigInt(decimals) / 100n;
  const [thousandth, hundredth] = [dueMinor / 1000n, dueMinor / 100n];
  const wanted = thousandth > hundredthOfToken ? thousandth : hundredthOfToken;
  return wanted < hundredth ? wanted : hundredth;
}

/** Whether what was received pays what is due: pays, orders and the payment page all ask here. */
export function isWithinTolerance(receivedMinor: bigint, dueMinor: bigint, token: Decimals): boolean {
  return receivedMinor + shortfallTolerated(dueMinor, token) >= dueMinor;
}

/**
 * What we add to a deposit that is short within tolerance (P5u). The partner's markup pays for what is missing first. Fiat minor
 * units; `worthMinor` is what was received at the rate, floored.
 */
export function shortfallOfOurs(
  worthMinor: bigint,
  { amountMinor, markupMinor }: { readonly amountMinor: bigint; readonly markupMinor: bigint },
): bigint {
  const beyondMarkup = amountMinor - worthMinor - markupMinor;
  return beyondMarkup > 0n ? beyondMarkup : 0n;
}

/**
 * An amount of fiat in US dollars at a rate (fiat per 1 USD), two places. `half-up` as status rows show it, `up` as what has to be
 * paid (decisions.md section 2).
 */
export function amountInUsd(
  amountMinor: bigint,
  rate: string,
  currency: string,
  rounding: 'half-up' | 'up' = 'half-up',
): string {
  if (rounding === 'up') return formatDecimal(centsDue(amountMinor, rate, currency), CENT_DECIMALS);
  const { fromMinor, toMinor } = tokenRate(rate, currency, { decimals: CENT_DECIMALS });
  return formatDecimal((2n * amountMinor * fromMinor + toMinor) / (2n * toMinor), CENT_DECIMALS);
}

/** US cents that cover an amount of fiat, rounded up. */
export function centsDue(amountMinor: bigint, rate: string, currency: string): bigint {
  return assetAmountDue(amountMinor, rate, currency, { decimals: CENT_DECIMALS });
}

/** US cents that tokens pegged to the dollar are held to be worth, rounded up. */
export function centsOf(receivedMinor: bigint, { decimals }: Decimals): bigint {
  return divideUp(receivedMinor * 10n ** BigInt(CENT_DECIMALS), 10n ** BigInt(decimals));
}

/** The least of a token pegged to the dollar that is sent back on its chain, in the token's minor units. */
export function leastRefund({ leastRefundCents }: Pick<Chain, 'leastRefundCents'>, { decimals }: Decimals): bigint {
  return divideUp(leastRefundCents * 10n ** BigInt(decimals), 10n ** BigInt(CENT_DECIMALS));
}
