import { formatDecimal, parseDecimal } from '@vuka/domain';

const DECIMALS = 18;
/** Finer than market rates. */
const SHOWN_DECIMALS = 6;
const BASIS = 10_000n;

/** Decimal string to 1e-18 units; null: no decimal above 0. */
export function parseExact(text: string): bigint | null {
  const parsed = parseDecimal(text, DECIMALS);
  return parsed.ok && parsed.value > 0n ? parsed.value : null;
}

/** What we pay: rounded down; above 0 for a mid from 0.01. */
export function below(mid: bigint, basisPoints: number): string {
  return shown((mid * (BASIS - BigInt(basisPoints))) / BASIS / 10n ** BigInt(DECIMALS - SHOWN_DECIMALS));
}

/** What we charge: rounded up. */
export function above(mid: bigint, basisPoints: number): string {
  const scale = 10n ** BigInt(DECIMALS - SHOWN_DECIMALS);
  return shown(ceil(ceil(mid * (BASIS + BigInt(basisPoints)), BASIS), scale));
}

/** Basis points of `from`, rounded up. */
export function apartBasisPoints(from: bigint, to: bigint): bigint {
  const difference = to > from ? to - from : from - to;
  return ceil(difference * BASIS, from);
}

function ceil(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

/** Without trailing zeros: `129.35`, `1`. */
function shown(minor: bigint): string {
  return formatDecimal(minor, SHOWN_DECIMALS).replace(/\.?0+$/, '');
}
