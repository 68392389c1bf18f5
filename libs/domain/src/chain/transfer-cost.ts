import type { Chain, Token } from './chain.js';

/** An automatic refund must be worth this many times its transfer cost. */
const LEAST_TIMES_ITS_COST = 5n;
const CENT_DECIMALS = 2n;

type PricedChain = Pick<Chain, 'fees'>;

const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;

/** null: no fault. Data may bypass the compiler. */
export function chainFault({
  name,
  fees,
}: {
  readonly name: string;
  readonly fees?: Partial<Chain['fees']> | undefined;
}): string | null {
  if (!isAbove(fees?.mostPerUnit)) return `${name} has no cap on what is bid for gas (fees.mostPerUnit)`;
  if (!isAbove(fees?.mostCoinCents)) return `${name} has no bound on the price of its native coin (fees.mostCoinCents)`;
  return typeof fees?.coinDecimals === 'number'
    ? null
    : `${name} does not say the decimals of its native coin (fees.coinDecimals)`;
}

const isAbove = (value: bigint | undefined): boolean => typeof value === 'bigint' && value > 0n;

/** Upper bound, rounded up. */
export function costCents({ fees: { coinDecimals, mostCoinCents } }: PricedChain, costMinor: bigint): bigint {
  return divideUp(costMinor * mostCoinCents, 10n ** BigInt(coinDecimals));
}

/** Smallest automatic refund for this transfer cost, in the token's minor units. */
export function leastWorth(
  { fees: { coinDecimals, mostCoinCents } }: PricedChain,
  { decimals }: Pick<Token, 'decimals'>,
  costMinor: bigint,
): bigint {
  return divideUp(
    LEAST_TIMES_ITS_COST * costMinor * mostCoinCents * 10n ** BigInt(decimals),
    10n ** (BigInt(coinDecimals) + CENT_DECIMALS),
  );
}
