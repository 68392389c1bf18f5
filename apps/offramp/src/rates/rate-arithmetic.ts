import { formatDecimal, parseDecimal } from '@vuka/domain';

const DECIMALS = 18;
/** What partners see of a rate: finer than any market's last digit. */
const SHOWN_DECIMALS = 6;
const BASIS = 10_000n;

/** A decimal string as a whole number of 1e-18; null where it is no decimal above 0. */
export function parseExact(text: string): bigint | null {
  const parsed = parseDecimal(text, DECIMALS);
  return parsed.ok && parsed.value > 0n ? parsed.value : null;
}

/** `mid` less so many basis points, rounded down: what we give for a dollar. Above 0 for every mid from 0.01 up. */
export function below(mid: bigint, basisPoints: number): string {
  return shown((mid * (BASIS - BigInt(basisPoints))) / BASIS / 10n ** BigInt(DECIMALS - SHOWN_DECIMALS));
}

/** `mid` and so many basis points, rounded up: what we take for a dollar. */
export function above(mid: bigint, basisPoints: number): string {
  const scale = 10n ** BigInt(DECIMALS - SHOWN_DECIMALS);
  return shown(ceil(ceil(mid * (BASIS + BigInt(basisPoints)), BASIS), scale));
}

/** By how much two of the same kind differ, in basis points of the first, rounded up. */
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
