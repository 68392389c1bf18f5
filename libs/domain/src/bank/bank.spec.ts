import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { parseBankTransfer } from '../requests/bank-transfer.js';
import type { Currency } from '../currency/currency.js';
import { ANY_ACCOUNT_NUMBER, NO_FEE } from '../currency/number-rules.js';
import { CURRENCIES } from '../currency/registry.js';
import { parseNameRequest } from '../requests/name-request.js';
import { parseDisburse } from '../requests/payout-request.js';
import { refusalOf, valueOf } from '../requests/requests.spec-support.js';
import type { BankData } from './bank-data.js';
import { banksOf, isNameOfAnother, resolveBank } from './bank.js';

const LISTED = ['KES', 'NGN', 'GHS', 'MWK', 'ETB'] as const;
const rowsOf = (currency: keyof typeof CURRENCIES): readonly BankData[] => CURRENCIES[currency].banks;

describe('banksOf', () => {
  it.each([
    ['KES', 43],
    ['NGN', 247],
    ['GHS', 30],
    ['MWK', 8],
    ['ETB', 35],
    ['CDF', 0],
    ['UGX', 0],
    ['XXX', 0],
  ])('%s lists %i banks that money can be sent to', (currency, count) => {
    expect(banksOf(currency)).toHaveLength(count);
  });

  it.each(LISTED)('%s: every listed bank resolves by its code and name, codes being strings and unique', (currency) => {
    const banks = banksOf(currency);
    expect(new Set(banks.map(({ code }) => code.toLowerCase())).size).toBe(banks.length);
    for (const bank of banks) {
      expect(resolveBank(currency, bank.code)).toEqual({ ok: true, value: bank });
      expect(isNameOfAnother(currency, bank.name, bank)).toBe(false);
      expect(typeof bank.code).toBe('string');
    }
  });

  it.each(LISTED)('%s: every row names where it was read', (currency) => {
    expect(rowsOf(currency).length).toBeGreaterThan(0);
    for (const row of rowsOf(currency)) expect(row.source.length).toBeGreaterThan(20);
  });

  it('keeps what is defunct or doubly coded off the list', () => {
    const codes = new Set([...banksOf('KES'), ...banksOf('NGN')].map(({ code }) => code));
    for (const code of ['30', '39', '49', '64', '50572', '50739', '50840', '51253'])
      expect(codes.has(code)).toBe(false);
  });
});

describe('resolveBank', () => {
  const codeOf = (currency: string, code: string): string => {
    const bank = resolveBank(currency, code);
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
    ['GHS', '280100', '280100'],
    ['GHS', 'ABNGGHAC', '280100'],
    ['ETB', '946', '946'],
    ['ETB', 'cbetetaa', '946'],
    ['ETB', 'goBTetaa', 'GOBTETAA'],
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
    ['KES', '1', 'bank_code is not in the list of KES banks (/v1/banks/kes)'],
    ['KES', '044', 'bank_code is not in the list of KES banks (/v1/banks/kes)'],
    ['KES', ' 01', 'bank_code is not in the list of KES banks (/v1/banks/kes)'],
    ['GHS', '01', 'bank_code is not in the list of GHS banks (/v1/banks/ghs)'],
    ['UGX', '01', 'bank_code is not in the list of UGX banks (/v1/banks/ugx)'],
    ['KES', '\u212Acblkenx', 'bank_code is not in the list of KES banks (/v1/banks/kes)'],
    ['KES', '__proto__', 'bank_code is not in the list of KES banks (/v1/banks/kes)'],
  ])('%s %j is refused', (currency, sent, message) => {
    expect(resolveBank(currency, sent)).toEqual({ ok: false, error: { code: 'unknown_bank', message } });
  });

  it('refuses the aliases of a bank whose own code names two', () => {
    const doubled = new Set(['50572', '50739', '50840', '51253']);
    for (const row of rowsOf('NGN')) {
      if (!doubled.has(row.code) || row.nip === undefined) continue;
      expect(resolveBank('NGN', row.nip).ok).toBe(false);
    }
  });

  it.each(LISTED)(
    '%s: the exact name of any other row is refused beside a code, also of one that is gone or in doubt',
    (currency) => {
      const [bank] = banksOf(currency);
      if (bank === undefined) throw new Error('no banks');
      for (const { code, name } of rowsOf(currency))
        expect([name, isNameOfAnother(currency, ` ${name.toUpperCase()} `, bank)]).toEqual([
          name,
          code !== bank.code && name !== bank.name,
        ]);
    },
  );

  it('never throws and only answers listed banks', () => {
    fc.assert(
      fc.property(fc.constantFrom(...LISTED), fc.string(), fc.string(), (currency, code, name) => {
        const bank = resolveBank(currency, code);
        if (bank.ok) expect(banksOf(currency)).toContain(bank.value);
        if (bank.ok && !rowsOf(currency).some((row) => row.name.toLowerCase() === name.trim().toLowerCase()))
          expect(isNameOfAnother(currency, name, bank.value)).toBe(false);
      }),
    );
  });

  it.each(LISTED)('%s: an alias is answered as the one bank that has it, or names none', (currency) => {
    for (const row of rowsOf(currency)) {
      for (const alias of [row.paybill, row.nip, row.swift, ...(row.alt_codes ?? [])]) {
        if (alias === undefined) continue;
        const owners = rowsOf(currency).filter((other) =>
          [other.code, other.paybill, other.nip, other.swift, ...(other.alt_codes ?? [])].some(
            (known) => known?.toLowerCase() === alias.toLowerCase(),
          ),
        );
        const bank = resolveBank(currency, alias);
        // A canonical code wins over an equal alias.
        const own = owners.find(({ code }) => code.toLowerCase() === alias.toLowerCase());
        if (bank.ok) expect(bank.value.code).toBe((own ?? row).code);
        if (owners.length > 1 && own === undefined) expect(bank.ok).toBe(false);
      }
    }
  });
});

describe('the name of a bank beside its code', () => {
  const account = { amount: '500', account_number: '1234567890', bank_code: '01' };
  const sent = (bank_name: string): ReturnType<typeof parseBankTransfer> =>
    parseBankTransfer(CURRENCIES.KES, { ...account, bank_name });

  it('is refused only where it is exactly that of another bank, of one that is gone as well', () => {
    for (const name of ['  kcb BANK kenya ', 'KCB', 'Absa Bank Kenya PLC']) {
      expect(valueOf(sent(name)).destination).toMatchObject({ bank_code: '01', bank_name: 'KCB Bank Kenya' });
    }
    for (const name of [' ABSA bank kenya', 'Chase Bank (Kenya)']) {
      expect(refusalOf(sent(name))).toEqual({
        code: 'unknown_bank',
        message: 'bank_name is the name of another bank; the bank_code sent is that of KCB Bank Kenya',
        pointers: ['/bank_name'],
      });
    }
  });
});

describe('how long account numbers are', () => {
  const [first] = CURRENCIES.ETB.payouts;
  const toBanks = { decimals: 2, accountNumber: ANY_ACCOUNT_NUMBER, minMinor: 100_00n, maxMinor: 1_000_00n };
  const withBanks: Currency = {
    ...CURRENCIES.ETB,
    bankTransfer: { ...toBanks, serviceFee: NO_FEE },
    payouts: [
      {
        ...first,
        destinations: [
          {
            kind: 'bank',
            limits: toBanks,
            decimals: 2,
            accountNumber: ANY_ACCOUNT_NUMBER,
            namesRequired: false,
            networkLimits: null,
          },
        ],
      },
    ],
    lookups: [{ kind: 'bank', bankNameRequired: false }],
  };
  const judged = (bank_code: string, digits: number): readonly (ReturnType<typeof refusalOf> | 'accepted')[] => {
    const body = { amount: '500', account_number: '1'.repeat(digits), bank_code };
    return [parseBankTransfer(withBanks, body), parseDisburse(withBanks, body), parseNameRequest(withBanks, body)].map(
      (result) => (result.ok ? 'accepted' : refusalOf(result)),
    );
  };

  it('counts where the list says it, for transfers, payouts and lookups alike', () => {
    expect(judged('946', 13)).toEqual(['accepted', 'accepted', 'accepted']);
    const refused = {
      code: 'invalid_request',
      message: 'account_number must have 13 digits at Commercial Bank of Ethiopia (CBE)',
      pointers: ['/account_number'],
    };
    for (const digits of [12, 14]) expect(judged('CBETETAA', digits)).toEqual([refused, refused, refused]);
  });

  it('does not where the list does not', () => {
    for (const digits of [4, 13, 20]) expect(judged('GOBTETAA', digits)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(judged('GOBTETAA', 21)[0]).toMatchObject({ message: 'account_number must be 4 to 20 digits' });
  });

  it('is the length of each bank that the list tells one of', () => {
    const told = rowsOf('ETB').filter(({ acct_length }) => acct_length !== undefined);
    expect(told).toHaveLength(19);
    for (const { code, acct_length = 0 } of told) {
      expect(judged(code, acct_length)[0]).toBe('accepted');
      expect(judged(code, acct_length + 1)[0]).toMatchObject({ pointers: ['/account_number'] });
    }
  });
});
