import { describe, expect, it } from '@jest/globals';

import type { Currency } from '../currency/currency.js';
import { CURRENCIES } from '../currency/registry.js';
import { parseDisburse } from './payout-request.js';
import { destinationOf, refusalOf } from './payout-request.spec-support.js';
import { valueOf } from './requests.spec-support.js';
import { money } from '../money/money.js';

const { CDF, NGN } = CURRENCIES;

describe('parseDisburse', () => {
  it('reads a currency of one kind without a type, and a type only where it fits', () => {
    const request = { amount: '600.50', shortcode: '243812345678', mobile_network: 'airtel' };
    expect(valueOf(parseDisburse(CDF, request))).toEqual({
      amount: money(600_50n, 'CDF'),
      fee: money(0n, 'CDF'),
      destination: { kind: 'mobile', phone: '+243812345678', mobile_network: 'Airtel Money' },
    });
    expect(destinationOf({ ...request, type: 'mobile' }, CDF)).toMatchObject({ kind: 'mobile' });
    expect(refusalOf({ ...request, type: 'PAYBILL' }, CDF)).toEqual({
      code: 'invalid_request',
      message: 'type must be one of MOBILE',
      pointers: ['/type'],
    });
    expect(refusalOf({ ...request, shortcode: '812345678' }, CDF).message).toBe(
      'shortcode must be a mobile number such as 0991234567, 243991234567 or +243991234567',
    );
  });

  it('counts each network by its own decimals and its own most', () => {
    const request = { amount: '600.50', shortcode: '0812345678', mobile_network: 'M-PESA' };
    expect(refusalOf(request, CDF).message).toBe('amount must be a whole number');
    expect(refusalOf({ ...request, fee: '0.50', amount: '600' }, CDF).message).toBe('fee must be a whole number');
    // Settings where one network's limit is below ours.
    const [inFrancs] = CDF.payouts;
    const [rules] = inFrancs.destinations;
    if (rules?.kind !== 'mobile') throw new Error('no phones');
    const networks = rules.networks.map((network) =>
      network.name === 'Mpesa'
        ? { ...network, networkLimits: { ...network.networkLimits, maxMinor: 900_000_00n } }
        : network,
    );
    const narrow: Currency = { ...CDF, payouts: [{ ...inFrancs, destinations: [{ ...rules, networks }] }] };
    expect(refusalOf({ ...request, amount: '900001' }, narrow).message).toBe('amount must be at most 900,000 CDF');
    expect(parseDisburse(narrow, { ...request, amount: '900000' }).ok).toBe(true);
    expect(parseDisburse(narrow, { ...request, amount: '900001', mobile_network: 'Airtel' }).ok).toBe(true);
  });

  it('pays francs or dollars in the Congo, as `currency` says: amount, fee and limits are in it', () => {
    const request = { amount: '400', shortcode: '0812345678', mobile_network: 'Mpesa' };
    expect(valueOf(parseDisburse(CDF, { ...request, currency: 'usd', amount: '1.50', fee: '0.25' }))).toMatchObject({
      amount: money(1_50n, 'USD'),
      fee: money(25n, 'USD'),
    });
    expect(valueOf(parseDisburse(CDF, { ...request, currency: 'cdf', amount: '500' })).amount.currency).toBe('CDF');
    expect(valueOf(parseDisburse(CDF, { ...request, currency: '', amount: '500' })).amount.currency).toBe('CDF');
    expect(refusalOf({ ...request, amount: '499' }, CDF).message).toBe('The amount field must be at least 500');
    expect(refusalOf({ ...request, currency: 'USD', amount: '400.01' }, CDF).message).toBe(
      'amount must be at most 400 USD',
    );
    expect(refusalOf({ ...request, currency: 'USD', amount: '0.99' }, CDF).message).toBe(
      'The amount field must be at least 1',
    );
    expect(refusalOf({ ...request, currency: 'USD', amount: '1', fee: '0.01' }, CDF).message).toBe(
      'The amount field must be at least 1.01: the recipient gets amount less fee, and Mpesa takes no less than 1 USD',
    );
    expect(refusalOf({ ...request, currency: 'EUR', reference: 'a b' }, CDF)).toEqual({
      code: 'unsupported_currency',
      message: 'currency must be one of CDF, USD',
      pointers: ['/currency', '/reference'],
    });
    expect(refusalOf({ ...request, currency: ['USD'] }, CDF).message).toBe('currency must be a string, not an array');
  });

  it.each(Object.values<Currency>(CURRENCIES).filter(({ payouts }) => payouts.length === 1))(
    'knows no `currency` in $code',
    (currency) => {
      const named = refusalOf({ currency: 'USD' }, currency);
      expect(named).toEqual(refusalOf({}, currency));
    },
  );

  it('asks for the names of account and bank where the interface does', () => {
    const account = { amount: '600', account_number: '0123456789', bank_code: '044' };
    expect(refusalOf(account, NGN).pointers).toEqual(['/account_name', '/bank_name']);
    expect(refusalOf({ ...account, account_name: 5, bank_name: 5 }, NGN).pointers).toEqual([
      '/account_name',
      '/bank_name',
    ]);
    expect(destinationOf({ ...account, account_name: 'A', bank_name: 'whatever it is called here' }, NGN)).toEqual({
      kind: 'bank',
      account_number: '0123456789',
      bank_code: '044',
      bank_name: 'Access Bank',
    });
    expect(refusalOf({ ...account, account_name: 'A', bank_name: ' zenith BANK ' }, NGN)).toEqual({
      code: 'unknown_bank',
      message: 'bank_name is the name of another bank; the bank_code sent is that of Access Bank',
      pointers: ['/bank_name'],
    });
    const malawi = { type: 'BANK_TRANSFER', amount: '600', account_number: '1234567', bank_code: 'NBMAMWMW' };
    expect(refusalOf(malawi, CURRENCIES.MWK).pointers).toEqual(['/account_name', '/bank_name']);
    expect(refusalOf({ ...malawi, type: '' }, CURRENCIES.MWK).pointers).toEqual(['/type']);
    expect(refusalOf({ ...malawi, type: 'MOBILE' }, CURRENCIES.MWK).pointers).toEqual([
      '/shortcode',
      '/mobile_network',
    ]);
  });
});
