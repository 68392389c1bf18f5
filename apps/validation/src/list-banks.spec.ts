import { describe, expect, it } from '@jest/globals';

import { fullCoverage, type Carrier, type Coverage } from '@vuka/domain';

import { ListBanks } from './list-banks.js';

const banks = new ListBanks(fullCoverage(['sandbox']));

describe('the list of banks', () => {
  it.each(['KES', 'NGN', 'MWK', 'GHS', 'ETB'])(
    '%s: names every bank in both spellings, with its currency',
    (currency) => {
      const listed = banks.of(currency);
      expect(listed.length).toBeGreaterThan(0);
      for (const bank of listed) {
        expect(bank).toEqual({
          Name: bank.name,
          Code: bank.code,
          name: expect.stringMatching(/\S/),
          code: expect.stringMatching(/\S/),
          currency,
        });
      }
      expect(new Set(listed.map(({ code }) => code)).size).toBe(listed.length);
    },
  );

  it('has only banks that a configured route pays', () => {
    const to = (...maps: (readonly string[])[]): Coverage => {
      const carrier: Carrier = { provider: 'x', decimals: 2, limits: null, banks: null, accountLength: null };
      const carriers = maps.map((codes) => ({ ...carrier, banks: new Set(codes) }));
      return [{ currency: 'NGN', kind: 'bank', network: null, carriers }];
    };
    const codes = (coverage: Coverage, currency = 'NGN'): string[] =>
      new ListBanks(coverage).of(currency).map(({ code }) => code);
    expect(codes(to(['058', 'unknown']))).toEqual(['058']);
    expect(codes(to(['058'], ['044'])).sort()).toEqual(['044', '058']);
    expect(codes(to(['058']), 'KES')).toEqual([]);
    expect(codes([])).toEqual([]);
  });

  it.each(['GHS', 'ETB'])('%s: is for reference where no bank of a currency can be paid', (currency) => {
    expect(new ListBanks([]).of(currency)).toEqual(banks.of(currency));
  });

  it.each(['UGX', 'CDF', 'XXX'])('%s: has none', (currency) => {
    expect(banks.of(currency)).toEqual([]);
  });
});
