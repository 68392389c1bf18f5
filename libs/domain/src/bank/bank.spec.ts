import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { CURRENCIES } from '../currency/registry.js';
import type { BankData } from './bank-data.js';
import { banksOf, resolveBank } from './bank.js';

const OFFERED = ['KES', 'NGN', 'MWK'] as const;
const rowsOf = (currency: (typeof OFFERED)[number]): readonly BankData[] => CURRENCIES[currency].bankTransfer?.bankDirectory ?? [];

describe('banksOf', () => {
  it.each([
    ['KES', 43],
    ['NGN', 247],
    ['MWK', 8],
    ['UGX', 0],
    ['XXX', 0],
  ])('%s lists %i banks that money can be sent to', (currency, count) => {
    expect(banksOf(currency)).toHaveLength(count);
  });

  it.each(OFFERED)('%s: every listed bank resolves by its code and name, codes being strings and unique', (currency) => {
    const banks = banksOf(currency);
    expect(new Set(banks.map(({ code }) => code.toLowerCase())).size).toBe(banks.length);
    for (const bank of banks) {
      expect(resolveBank(currency, bank.code, bank.name)).toEqual({ ok: true, value: bank });
      expect(typeof bank.code).toBe('string');
    }
  });

  it.each(OFFERED)('%s: every row names where it was read', (currency) => {
    expect(rowsOf(currency).length).toBeGreaterThan(0);
    for (const row of rowsOf(currency)) expect(row.source.length).toBeGreaterThan(20);
  });

  it('keeps what is defunct or doubly coded off the list', () => {
    const codes = new Set([...banksOf('KES'), ...banksOf('NGN')].map(({ code }) => code));
    for (const code of ['30', '39', '49', '64', '50572', '50739', '50840', '51253']) expect(codes.has(code)).toBe(false);
  });
});

describe('resolveBank', () => {
  const codeOf = (currency: string, code: string, name?: string): string => {
    const bank = resolveBank(currency, code, name);
    return bank.ok ? bank.value.code : bank.error.message;
  };

  it.each([
    ['KES', '01', '01'],
    ['KES', '522522', '01'],
    ['KES', 'KCBLKENX', '01'],
    ['KES', 'kcblkenx', '01'],
    ['KES', '61', '83'],
    ['NGN', '070010', '404'],
    ['NGN', '120001', '120001'],
    ['MWK', '82310DD1-EC9B-4FE7-A32C-2F262EF08681', '82310dd1-ec9b-4fe7-a32c-2f262ef08681'],
    ['MWK', 'NBMAMWMW', '82310dd1-ec9b-4fe7-a32c-2f262ef08681'],
  ])('%s %s is answered as %s', (currency, sent, canonical) => {
    expect(codeOf(currency, sent)).toBe(canonical);
  });

  it.each([
    ['KES', '30', 'bank_code names Chase Bank (Kenya), which no longer exists'],
    ['KES', '64', 'bank_code names Charterhouse Bank, which no longer exists'],
    ['NGN', '50572', 'bank_code is used by more than one bank, so it names none'],
    ['NGN', '50739', 'bank_code is used by more than one bank, so it names none'],
    ['NGN', '50840', 'bank_code is used by more than one bank, so it names none'],
    ['NGN', '51253', 'bank_code is used by more than one bank, so it names none'],
    ['NGN', '000017', 'bank_code is used by more than one bank, so it names none'],
    ['NGN', '090315', 'bank_code is used by more than one bank, so it names none'],
    ['KES', '1', 'bank_code is not in the list of KES banks'],
    ['KES', '044', 'bank_code is not in the list of KES banks'],
    ['KES', ' 01', 'bank_code is not in the list of KES banks'],
    ['UGX', '01', 'bank_code is not in the list of UGX banks'],
    ['KES', '__proto__', 'bank_code is not in the list of KES banks'],
  ])('%s %j is refused', (currency, sent, message) => {
    expect(resolveBank(currency, sent)).toEqual({
      ok: false,
      error: { code: 'unknown_bank', message, faults: [{ detail: message, pointer: '/bank_code' }] },
    });
  });

  it('refuses the aliases of a bank whose own code names two', () => {
    const doubled = new Set(['50572', '50739', '50840', '51253']);
    for (const row of rowsOf('NGN')) {
      if (!doubled.has(row.code) || row.nip === undefined) continue;
      expect(resolveBank('NGN', row.nip).ok).toBe(false);
    }
  });

  it('refuses a name only where it is exactly another bank that can be used', () => {
    expect(codeOf('KES', '01', '  kcb BANK kenya ')).toBe('01');
    expect(codeOf('KES', '01', 'KCB')).toBe('01');
    expect(codeOf('KES', '01', 'Chase Bank (Kenya)')).toBe('01');
    expect(resolveBank('KES', '01', ' ABSA bank kenya')).toMatchObject({
      ok: false,
      error: { code: 'unknown_bank', faults: [{ pointer: '/bank_name' }] },
    });
  });

  it('never throws and only answers listed banks', () => {
    fc.assert(
      fc.property(fc.constantFrom('KES', 'NGN', 'MWK', 'ETB'), fc.string(), fc.string(), (currency, code, name) => {
        const bank = resolveBank(currency, code, name);
        if (bank.ok) expect(banksOf(currency)).toContainEqual(bank.value);
      }),
    );
  });
});
