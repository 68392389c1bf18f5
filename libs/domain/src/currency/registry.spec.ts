import { describe, expect, it } from '@jest/globals';

import { formatDecimal } from '../money.js';
import { CURRENCY_CODES, type Currency } from './currency.js';
import { CURRENCIES, currencyDecimals, findCurrency, WALLET_CURRENCIES } from './registry.js';

describe('the currency registry', () => {
  it.each(Object.entries(CURRENCIES))('%s is found by its own code and country only', (key, currency) => {
    expect(currency.code).toBe(key);
    expect(findCurrency(currency.code.toLowerCase())).toBe(currency);
    expect(findCurrency(currency.country.toLowerCase())).toBe(currency);
    expect(currency.phone_code).toMatch(/^\d{3}$/);
    expect(currencyDecimals(currency.code)).toBe(currency.decimals);
  });

  it('lists the currencies in the order of the interface, and USD as a wallet only', () => {
    expect(Object.keys(CURRENCIES)).toEqual([...CURRENCY_CODES]);
    expect(WALLET_CURRENCIES).toEqual([...CURRENCY_CODES, 'USD']);
    expect(findCurrency('USD')).toBeUndefined();
    expect(currencyDecimals('USD')).toBe(2);
  });

  it.each(['', 'K', 'KEN', 'KESS', 'xxx', 'constructor', '__proto__', 'kés'])('does not find %j', (text) => {
    expect(findCurrency(text)).toBeUndefined();
  });

  it('throws for the decimals of what is no wallet currency', () => {
    expect(() => currencyDecimals('KE')).toThrow(RangeError);
    expect(() => currencyDecimals('EUR')).toThrow(RangeError);
  });

  // decisions.md section 3, in major units, as a person reads them.
  it.each([
    ['KES', '100.00', '250000.00', ['1234', '12345678901234567890'], ['123', '123456789012345678901', '12 34', 'ABCD']],
    ['NGN', '100.00', '1000000.00', ['0123456789'], ['012345678', '01234567890', '01234-6789']],
    ['MWK', '100.00', '5000000.00', ['1234', '12345678901234567890'], ['123', '123456789012345678901', '１２３４']],
  ] as const)('%s bank transfers have the limits and account numbers of the decisions', (code, min, max, good, bad) => {
    const rules = CURRENCIES[code].bankTransfer;
    if (rules === null) throw new Error('not offered');
    expect([rules.minMinor, rules.maxMinor].map((limit) => formatDecimal(limit, CURRENCIES[code].decimals))).toEqual([min, max]);
    expect(rules.decimals).toBe(2);
    for (const number of good) expect(rules.accountNumber.pattern.test(number)).toBe(true);
    for (const number of bad) expect(rules.accountNumber.pattern.test(number)).toBe(false);
  });

  it.each(['UGX', 'GHS', 'CDF', 'ETB'] as const)('%s has no bank transfer', (code) => {
    expect(CURRENCIES[code].bankTransfer).toBeNull();
  });

  it.each(Object.entries<Currency>(CURRENCIES))('%s never pays out more than a network takes, nor any kind twice', (_, { disburse }) => {
    const kinds = (disburse ?? []).map(({ kind }) => kind);
    expect(new Set(kinds).size).toBe(kinds.length);
    for (const rules of disburse ?? []) {
      const networks = rules.kind === 'mobile' ? rules.networks : [rules];
      expect(networks.length).toBeGreaterThan(0);
      for (const { networkLimits, decimals } of networks) {
        expect(decimals).toBeLessThanOrEqual(2);
        if (networkLimits === null) continue;
        expect(rules.limits.maxMinor <= networkLimits.maxMinor).toBe(true);
        expect(rules.limits.minMinor >= networkLimits.minMinor).toBe(true);
      }
    }
  });

  it('pays out 20 to 250,000 KES to phones, paybills, tills and banks, whole shillings but for banks', () => {
    const offered = CURRENCIES.KES.disburse ?? [];
    expect(offered.map(({ kind }) => kind)).toEqual(['mobile', 'paybill', 'till', 'bank']);
    for (const rules of offered) {
      expect([rules.limits.minMinor, rules.limits.maxMinor].map((limit) => formatDecimal(limit, 2))).toEqual(['20.00', '250000.00']);
      const decimals = rules.kind === 'mobile' ? rules.networks.map((network) => network.decimals) : [rules.decimals];
      expect(new Set(decimals)).toEqual(new Set([rules.kind === 'bank' ? 2 : 0]));
    }
  });

  it('counts UGX whole', () => {
    expect(CURRENCIES.UGX.decimals).toBe(0);
  });
});
