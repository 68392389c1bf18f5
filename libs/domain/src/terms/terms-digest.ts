import { hash } from 'node:crypto';

import { CURRENCY_CODES, type AmountLimits, type ServiceFee, type VelocityLimit } from '../currency/currency.js';
import type { Currencies } from '../currency/registry.js';
import { onceFor } from '../requests/once-for.js';

/**
 * SHA-256 (hex) of all limits and fees. Builds with different registries differ. Compared and shown, never
 * stored.
 */
export const termsDigest = onceFor((currencies: Currencies): string =>
  hash('sha256', JSON.stringify(termsOf(currencies)), 'hex'),
);

/** Arrays, so that member order does not count. */
function termsOf(currencies: Currencies): unknown {
  return CURRENCY_CODES.map((code) => {
    const { bankTransfer, payouts } = currencies[code];
    return [
      code,
      bankTransfer && [limitsOf(bankTransfer), feeOf(bankTransfer.serviceFee)],
      payouts.map(({ currency, destinations, serviceFee, velocityLimits = [] }) => [
        currency,
        feeOf(serviceFee),
        destinations.map(({ kind, limits }) => [kind, limitsOf(limits)]),
        velocityLimits.map(velocityOf),
      ]),
    ];
  });
}

const limitsOf = ({ minMinor, maxMinor }: AmountLimits): unknown => [String(minMinor), String(maxMinor)];
const feeOf = ({ flatMinor, basisPoints }: ServiceFee): unknown => [String(flatMinor), String(basisPoints)];
const velocityOf = ({ per, window, maxMinor, maxCount }: VelocityLimit): unknown => [
  per,
  window,
  maxMinor === null ? null : String(maxMinor),
  maxCount,
];
