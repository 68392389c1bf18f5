/** An ISO currency (`USD`) or a token on a chain (`USDC@BNB`). */
export type Asset = string;

/** Whole minor units with their asset. The only amount type inside a service. */
export interface Money<C extends Asset = Asset> {
  readonly minor: bigint;
  readonly currency: C;
}

export const money = <C extends Asset>(minor: bigint, currency: C): Money<C> => ({ minor, currency });

export const zero = <C extends Asset>(currency: C): Money<C> => ({ minor: 0n, currency });

/** Different assets are a bug. */
function assertSame(one: Money, other: Money): void {
  if (one.currency !== other.currency)
    throw new TypeError(`an amount of ${one.currency} meets one of ${other.currency}`);
}

export function add<C extends Asset>(one: Money<C>, other: Money<C>): Money<C> {
  assertSame(one, other);
  return { minor: one.minor + other.minor, currency: one.currency };
}

export function subtract<C extends Asset>(one: Money<C>, other: Money<C>): Money<C> {
  assertSame(one, other);
  return { minor: one.minor - other.minor, currency: one.currency };
}

export function compare(one: Money, other: Money): -1 | 0 | 1 {
  assertSame(one, other);
  if (one.minor === other.minor) return 0;
  return one.minor < other.minor ? -1 : 1;
}

export function lesser<C extends Asset>(one: Money<C>, other: Money<C>): Money<C> {
  return compare(one, other) <= 0 ? one : other;
}

export function sum<C extends Asset>(currency: C, amounts: Iterable<Money<C>>): Money<C> {
  let total = zero(currency);
  for (const amount of amounts) total = add(total, amount);
  return total;
}

/** The only comparison that accepts different assets. */
export function isSame(one: Money, other: Money): boolean {
  return one.currency === other.currency && one.minor === other.minor;
}

/**
 * Minor units as text, for events, internal calls, rows and `commit_batch`. Throws if `beside` is another
 * currency.
 */
export function encodeMinor({ minor, currency }: Money, beside: Asset = currency): string {
  if (beside !== currency) throw new TypeError(`an amount of ${currency} is written beside ${beside}`);
  return minor.toString();
}

/** Throws if the text is no whole number. */
export function decodeMoney<C extends Asset>(minor: string, currency: C): Money<C> {
  if (!/^-?\d+$/.test(minor)) throw new SyntaxError('an amount is a whole number of minor units');
  return { minor: BigInt(minor), currency };
}
