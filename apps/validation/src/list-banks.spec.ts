import { describe, expect, it } from '@jest/globals';

import { ListBanks } from './list-banks.js';

const banks = new ListBanks();

describe('the list of banks', () => {
  it.each(['KES', 'NGN', 'MWK'])('%s: names every bank in both spellings, with its currency', (currency) => {
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
  });

  it.each(['UGX', 'CDF', 'XXX'])('%s: has none', (currency) => {
    expect(banks.of(currency)).toEqual([]);
  });
});
