import { describe, expect, it } from '@jest/globals';

import { CURRENCIES } from '../currency/registry.js';
import type { Currency } from '../currency/currency.js';
import type { PayoutDestination } from '../destination/destination.js';
import { money } from '../money/money.js';
import { CORRIDORS, corridorName } from './corridors.js';
import { carriersOf, coveredAmounts, fullCoverage, routedRecipient, type Carrier, type Coverage } from './coverage.js';

const ANY: Carrier = { provider: 'x', decimals: 2, limits: null, banks: null, accountLength: null };
const ACCOUNT: PayoutDestination = { kind: 'bank', account_number: '0123456789', bank_code: '01', bank_name: 'KCB' };
const BANK = routedRecipient(ACCOUNT);

const toBanks = (...carriers: Carrier[]): Coverage => [{ currency: 'KES', kind: 'bank', network: null, carriers }];
const payersOf = (coverage: Coverage, minor = 500_00n): string[] =>
  carriersOf(coverage, BANK, money(minor, 'KES')).map(({ provider }) => provider);

describe('corridors', () => {
  it('are all that our rules know, each once, with dollars in Congo apart', () => {
    const names = CORRIDORS.map(corridorName);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(CORRIDORS.flatMap(({ countries }) => countries))).toEqual(
      new Set(Object.values<Currency>(CURRENCIES).map(({ country }) => country)),
    );
    expect(names).toEqual(
      expect.arrayContaining(['KES mobile Safaricom', 'KES till', 'NGN bank', 'CDF mobile Mpesa', 'USD mobile Mpesa']),
    );
    expect(CORRIDORS.find((one) => corridorName(one) === 'USD mobile Mpesa')?.countries).toEqual(['CD']);
  });
});

describe('who carries a payout', () => {
  it.each<[string, Partial<Carrier>, boolean]>([
    ['everything', {}, true],
    ['that bank', { banks: new Set(['01', '02']) }, true],
    ['other banks', { banks: new Set(['02']) }, false],
    ['no bank', { banks: new Set() }, false],
    ['accounts as long as that', { accountLength: { min: 10, max: 10 } }, true],
    ['longer accounts', { accountLength: { min: 11, max: 12 } }, false],
    ['shorter accounts', { accountLength: { min: 1, max: 9 } }, false],
    ['whole amounts', { decimals: 0 }, true],
    ['up to that amount', { limits: { minMinor: 1n, maxMinor: 500_00n } }, true],
    ['from that amount on', { limits: { minMinor: 500_00n, maxMinor: 501_00n } }, true],
    ['less', { limits: { minMinor: 1n, maxMinor: 499_99n } }, false],
    ['more', { limits: { minMinor: 500_01n, maxMinor: 600_00n } }, false],
  ])('one that takes %s', (_, takes, isPayer) => {
    expect(payersOf(toBanks({ ...ANY, ...takes }))).toEqual(isPayer ? ['x'] : []);
  });

  it('is one that takes some accounts alone, while the length is not known', () => {
    const short = toBanks({ ...ANY, accountLength: { min: 1, max: 2 } });
    expect(carriersOf(short, { ...BANK, accountLength: null }, money(1n, 'KES'))).toHaveLength(1);
  });

  it('comes first choice first, without those that do not take it', () => {
    const coverage = toBanks(
      { ...ANY, provider: 'second', decimals: 0 },
      { ...ANY, provider: 'first' },
      { ...ANY, provider: 'third', limits: { minMinor: 1n, maxMinor: 2n } },
    );
    expect([payersOf(coverage), payersOf(coverage, 500_50n)]).toEqual([['second', 'first'], ['first']]);
  });

  it('is nobody in another currency or for another kind of recipient, whatever its name', () => {
    const coverage = fullCoverage(['x']);
    for (const currency of ['EUR', 'kes', '', 'constructor', '__proto__'])
      expect(carriersOf(coverage, BANK, money(1n, currency))).toEqual([]);
    expect(carriersOf(coverage, BANK, money(1n, 'GHS'))).toEqual([]);
    expect(carriersOf([], BANK, money(1n, 'KES'))).toEqual([]);
  });
});

describe('amounts that are covered', () => {
  const corridor = { currency: 'KES', kind: 'bank', network: null } as const;
  const ours = { decimals: 2, limits: { minMinor: 100_00n, maxMinor: 900_00n } };

  it.each<[string, readonly Partial<Carrier>[], unknown]>([
    ['nothing, without a provider', [], null],
    ['ours, where a provider has no bounds', [{ limits: { minMinor: 1n, maxMinor: 2n } }, {}], ours],
    ['no more decimals than a provider takes', [{ decimals: 0 }], { ...ours, decimals: 0 }],
    [
      'the widest of all providers, within ours',
      [{ limits: { minMinor: 1n, maxMinor: 200_00n } }, { decimals: 0, limits: { minMinor: 150_00n, maxMinor: 800_00n } }],
      { decimals: 2, limits: { minMinor: 100_00n, maxMinor: 800_00n } },
    ],
    ['nothing, where ours and theirs do not meet', [{ limits: { minMinor: 900_01n, maxMinor: 1_000_00n } }], null],
  ])('are %s', (_, carriers, covered) => {
    expect(coveredAmounts(toBanks(...carriers.map((one) => ({ ...ANY, ...one }))), corridor, ours)).toEqual(covered);
  });
});
