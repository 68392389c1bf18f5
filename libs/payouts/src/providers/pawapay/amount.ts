import { currencyDecimals, fail, formatDecimal, type Money, ok, parseDecimal, type Result } from '@vuka/domain';

import type { PawapayNetwork } from './networks.js';

/** [D] 1 to 23 characters. */
const LONGEST = 23;

/** An amount as pawaPay reads it: no exponent, no sign, no zero in front, and no decimals where they are all zero. */
export function toPawapayAmount({ minor, currency }: Money, network: PawapayNetwork): Result<string, string> {
  if (minor <= 0n) return fail('nothing to pay');
  const [whole = '', fraction = ''] = formatDecimal(minor, currencyDecimals(currency)).split('.');
  const text = /[1-9]/.test(fraction) ? `${whole}.${fraction}` : whole;
  // Refused, never rounded: the recipient would get another amount.
  if (text !== whole && network.decimals < fraction.length) return fail(`${network.provider} pays whole amounts only`);
  return text.length > LONGEST ? fail('an amount too long') : ok(text);
}

/** Minor units; null where the text is no such amount. */
export function fromPawapayAmount(text: string, currency: string): bigint | null {
  const read = parseDecimal(text, currencyDecimals(currency));
  return read.ok ? read.value : null;
}
