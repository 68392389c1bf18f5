import { hash } from 'node:crypto';

import type { Carrier, Coverage } from './coverage.js';

const made = new WeakMap<Coverage, { readonly of: Coverage; readonly digest: string }>();

/**
 * SHA-256 (hex) of who carries what. The order of the routes does not count, that of their providers does. Made anew
 * when a running service has replaced its routes, in the same array.
 */
export function coverageDigest(coverage: Coverage): string {
  const known = made.get(coverage);
  if (known !== undefined && isSame(known.of, coverage)) return known.digest;
  const digest = hash('sha256', JSON.stringify(coverage.map(routeOf).sort()), 'hex');
  made.set(coverage, { of: [...coverage], digest });
  return digest;
}

function isSame(before: Coverage, now: Coverage): boolean {
  return before.length === now.length && before.every((route, place) => route === now[place]);
}

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
