import { hash } from 'node:crypto';

import { onceFor } from '../requests/once-for.js';
import type { Carrier, Coverage } from './coverage.js';

/** SHA-256 (hex) of who carries what. The order of the routes does not count, that of their providers does. */
export const coverageDigest = onceFor((coverage: Coverage): string =>
  hash('sha256', JSON.stringify(coverage.map(routeOf).sort()), 'hex'),
);

function routeOf({ currency, kind, network, carriers }: Coverage[number]): string {
  return JSON.stringify([currency, kind, network, carriers.map(carrierOf)]);
}

function carrierOf({ provider, decimals, limits, banks, accountLength }: Carrier): unknown {
  return [
    provider,
    decimals,
    limits && [String(limits.minMinor), String(limits.maxMinor)],
    banks && [...banks].sort(),
    accountLength && [accountLength.min, accountLength.max],
  ];
}
