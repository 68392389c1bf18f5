import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { banksOf, CORRIDORS, corridorName, currencyDecimals, isSameCorridor } from '@vuka/domain';

import { providersPage, withCoverage } from '../ways/providers-page.js';
import { waysOf } from '../ways/recommended-routes.js';
import { factoryOf, PROVIDER_IDS } from './index.js';

describe.each(PROVIDER_IDS)('%s', (id) => {
  const carried = factoryOf(id).carries({});

  it('carries corridors of our rules, each once', () => {
    expect(carried.length).toBeGreaterThan(0);
    for (const one of carried) expect(CORRIDORS.some((known) => isSameCorridor(known, one))).toBe(true);
    expect(new Set(carried.map(corridorName)).size).toBe(carried.length);
  });

  it('has bounds that an amount can keep', () => {
    for (const { currency, decimals, limits, accountLength } of carried) {
      expect(decimals).toBeLessThanOrEqual(currencyDecimals(currency));
      if (limits !== null) expect(limits.minMinor > 0n && limits.minMinor <= limits.maxMinor).toBe(true);
      if (accountLength !== null) expect(accountLength.min).toBeLessThanOrEqual(accountLength.max);
    }
  });

  it('has a map of banks of ours, where it has one', () => {
    for (const { currency, kind, banks } of carried) {
      if (banks === null) continue;
      expect(kind).toBe('bank');
      const ours = banksOf(currency).map(({ code }) => code);
      expect([...banks].filter((code) => !ours.includes(code))).toEqual([]);
    }
  });
});

describe('pawapay', () => {
  const published = factoryOf('pawapay').carries({});

  it('has the limits of each network, whole amounts where a network pays nothing else, and no bounds that nobody published', () => {
    const told = published.map(({ currency, network, decimals, limits }) =>
      [currency, network, decimals, limits?.minMinor ?? '-', limits?.maxMinor ?? '-'].join(' '),
    );
    expect(told).toEqual([
      'KES Safaricom 0 - -',
      'UGX MTN 0 500 5000000',
      'UGX Airtel 0 500 5000000',
      'GHS MTN 2 100 1500000',
      'GHS AirtelTigo 2 100 1000000',
      'GHS Telecel 2 100 1500000',
      'MWK Airtel Money 2 5000 75000000',
      'MWK TNM Mpamba 2 5000 75000000',
      'CDF Airtel Money 2 10000 625000000',
      'USD Airtel Money 2 - -',
      'CDF Mpesa 0 50000 100000000',
      'USD Mpesa 2 - -',
      'ETB MPESA 2 - -',
    ]);
  });
});

it('docs/generated/providers.md is what they say: run `npm run generate` otherwise', () => {
  const page = join(import.meta.dirname, '../../../../docs/generated/providers.md');
  expect(readFileSync(page, 'utf8')).toBe(providersPage());
});

it('the README says which provider is the first way and which the second: run `npm run generate` otherwise', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../../README.md'), 'utf8');
  expect(withCoverage(readme)).toBe(readme);
});

it('a provider that pays real people is a way of all that it carries', () => {
  for (const id of PROVIDER_IDS.filter((one) => !factoryOf(one).isPlayMoney))
    for (const corridor of factoryOf(id).carries({})) expect(waysOf(corridor)).toContain(id);
});

it('all seven currencies have a way', () => {
  const paid = CORRIDORS.filter((corridor) => waysOf(corridor).length > 0).map(({ currency }) => currency);
  expect(new Set(paid)).toEqual(new Set(['KES', 'UGX', 'NGN', 'GHS', 'MWK', 'CDF', 'USD', 'ETB']));
});
