import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { CURRENCIES } from '../currency/registry.js';
import type { PayoutDestination } from '../destination/destination.js';
import { money } from '../money/money.js';
import { carriersOf, fullCoverage, routedRecipient, type Carrier, type Coverage, type Route } from './coverage.js';
import { payoutRefusal, quoteRefusal, recipientRefusal, type AskedToPay } from './refusals.js';

const ANY: Carrier = { provider: 'x', decimals: 2, limits: null, banks: null, accountLength: null };
const LIMITED = { minMinor: 10_00n, maxMinor: 2_000_00n };
const COVERAGE: Coverage = [
  { currency: 'KES', kind: 'mobile', network: 'Safaricom', carriers: [{ ...ANY, decimals: 0, limits: LIMITED }] },
  { currency: 'KES', kind: 'till', network: null, carriers: [ANY] },
  {
    currency: 'NGN',
    kind: 'bank',
    network: null,
    carriers: [
      { ...ANY, banks: new Set(['058']), accountLength: { min: 10, max: 10 } },
      { ...ANY, banks: new Set(['058']), limits: { minMinor: 1n, maxMinor: 5_00n }, accountLength: { min: 12, max: 14 } },
    ],
  },
  { currency: 'USD', kind: 'mobile', network: 'Mpesa', carriers: [ANY] },
];

const MPESA: PayoutDestination = { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' };
const BANK: PayoutDestination = { kind: 'bank', account_number: '0123456789', bank_code: '058', bank_name: 'GTBank' };

function refusal(destination: PayoutDestination, minor: bigint, currency: string, more: Partial<AskedToPay> = {}) {
  const fee = money(0n, currency);
  return payoutRefusal(COVERAGE, { operation: 'disburse', amount: money(minor, currency), fee, destination, ...more });
}

const told = (...given: Parameters<typeof refusal>): unknown[] => {
  const problem = refusal(...given);
  return problem === null ? [] : [problem.code, problem.message, problem.faults?.[0]?.pointer ?? null];
};

describe('a payout that no configured route carries', () => {
  it.each<[string, Parameters<typeof refusal>, readonly unknown[]]>([
    ['one that is carried', [MPESA, 100_00n, 'KES'], []],
    ['a currency without routes', [MPESA, 100_00n, 'UGX'], ['unsupported_currency', 'payouts in UGX are not offered', null]],
    ['a kind', [{ ...BANK }, 100_00n, 'KES'], ['invalid_request', 'type must be one of MOBILE, BUY_GOODS: KES is not paid to BANK_TRANSFER', '/type']],
    ['banks, by a bank transfer', [{ ...BANK }, 100_00n, 'KES', { operation: 'bank_transfer' }], ['unsupported_currency', 'bank transfers in KES are not offered', null]],
    ['a network', [{ ...MPESA, mobile_network: 'Airtel' }, 100_00n, 'KES'], ['unsupported_network', 'mobile_network must be one of Safaricom for KES', '/mobile_network']],
    ['a bank that is in no map', [{ ...BANK, bank_code: '044', bank_name: 'Access Bank' }, 100_00n, 'NGN'], ['unknown_bank', 'bank_code names Access Bank, to which nothing is paid', '/bank_code']],
    ['an account number that is too long', [{ ...BANK, account_number: '012345678901234' }, 100_00n, 'NGN'], ['invalid_request', 'account_number must have 10 to 14 characters', '/account_number']],
    ['cents', [MPESA, 100_50n, 'KES'], ['invalid_request', 'amount must be a whole number', '/amount']],
    ['cents of amount less fee', [MPESA, 100_00n, 'KES', { fee: money(50n, 'KES') }], ['invalid_request', 'amount less fee must be a whole number', '/amount']],
    ['too little', [MPESA, 9_00n, 'KES'], ['amount_out_of_range', 'The amount field must be at least 10', '/amount']],
    ['too little after the fee', [MPESA, 12_00n, 'KES', { fee: money(3_00n, 'KES') }], ['amount_out_of_range', 'The amount field must be at least 13', '/amount']],
    ['too much', [MPESA, 2_001_00n, 'KES'], ['amount_out_of_range', 'amount must be at most 2,000 KES', '/amount']],
    ['what only the provider of other accounts takes', [{ ...BANK, account_number: '012345678901' }, 6_00n, 'NGN'], ['amount_out_of_range', 'amount must be at most 5 NGN', '/amount']],
    ['dollars, where francs alone have no route', [{ ...MPESA, mobile_network: 'Mpesa' }, 1_00n, 'USD'], []],
  ])('%s', (_, given, answer) => {
    expect(told(...given)).toEqual(answer);
  }); // prettier-ignore

  it('is told between what one provider takes and what another does', () => {
    const carriers = [
      { ...ANY, limits: { minMinor: 1_00n, maxMinor: 2_00n } },
      { ...ANY, limits: { minMinor: 5_00n, maxMinor: 6_00n } },
    ];
    const coverage: Coverage = [{ currency: 'KES', kind: 'mobile', network: 'Safaricom', carriers }];
    const asked = { operation: 'pay', fee: money(0n, 'KES'), destination: MPESA } as const;
    expect(payoutRefusal(coverage, { ...asked, amount: money(3_00n, 'KES') })?.message).toBe(
      'amount must be 1 to 2 or 5 to 6 KES',
    );
  });

  it('is refused exactly where nobody carries what the recipient gets', () => {
    const carrier = fc.record({
      provider: fc.constantFrom('x', 'y'),
      decimals: fc.constantFrom(0, 1, 2),
      limits: fc.option(fc.record({ minMinor: fc.bigInt(1n, 400n), maxMinor: fc.bigInt(1n, 400n) })),
      banks: fc.option(fc.subarray(['01', '02']).map((codes) => new Set(codes))),
      accountLength: fc.option(fc.record({ min: fc.nat(6), max: fc.nat(6) })),
    });
    const route: fc.Arbitrary<Route> = fc.record({
      currency: fc.constantFrom('KES', 'NGN'),
      kind: fc.constant('bank'),
      network: fc.constant(null),
      carriers: fc.array(carrier, { minLength: 1, maxLength: 3 }),
    });
    const digits = fc.stringMatching(/^\d{1,6}$/);
    fc.assert(
      fc.property(fc.array(route, { maxLength: 2 }), fc.bigInt(1n, 500n), fc.bigInt(0n, 200n), fc.constantFrom('01', '02'), digits, (coverage, amount, fee, bank_code, account_number) => {
        fc.pre(fee < amount);
        const destination = { ...BANK, bank_code, account_number };
        const asked: AskedToPay = { operation: 'bank_transfer', amount: money(amount, 'KES'), fee: money(fee, 'KES'), destination };
        const isCarried = carriersOf(coverage, routedRecipient(destination), money(amount - fee, 'KES')).length > 0;
        expect(payoutRefusal(coverage, asked) === null).toBe(isCarried);
      }),
    ); // prettier-ignore
  });
});

describe('a recipient whom no configured route pays', () => {
  it.each([
    ['of a network', CURRENCIES.KES, { ...MPESA, mobile_network: 'Airtel' }, 'unsupported_network'],
    ['of a currency', CURRENCIES.UGX, { ...MPESA, mobile_network: 'MTN' }, 'unsupported_currency'],
    ['of a kind', CURRENCIES.KES, { kind: 'paybill', shortcode: '888880' }, 'invalid_request'],
    ['at a bank', CURRENCIES.NGN, { ...BANK, bank_code: '044' }, 'unknown_bank'],
  ] as const)('%s is refused', (_, currency, destination, code) => {
    expect(recipientRefusal(COVERAGE, currency, destination)?.code).toBe(code);
  });

  it('is nobody who is paid from any of the wallets', () => {
    const phone = { kind: 'mobile', phone: '+243991234567' } as const;
    expect(recipientRefusal(COVERAGE, CURRENCIES.CDF, { ...phone, mobile_network: 'Mpesa' })).toBeNull();
    expect(recipientRefusal(COVERAGE, CURRENCIES.CDF, { ...phone, mobile_network: 'Airtel Money' })?.code).toBe(
      'unsupported_network',
    );
    expect(recipientRefusal(COVERAGE, CURRENCIES.KES, { kind: 'till', shortcode: '54321' })).toBeNull();
  });
});

describe('a quote', () => {
  it.each([
    [100_00n, 'KES', null],
    [100_50n, 'KES', null],
    [1n, 'UGX', 'unsupported_currency'],
    [1n, 'CDF', 'unsupported_currency'],
    [1_00n, 'USD', null],
  ])('of %s %s', (minor, currency, code) => {
    expect(quoteRefusal(COVERAGE, money(minor, currency))?.code ?? null).toBe(code);
  });

  it('is refused where nobody takes the amount', () => {
    const [mobile] = COVERAGE;
    const coverage = mobile === undefined ? [] : [mobile];
    expect(quoteRefusal(coverage, money(9_00n, 'KES'))?.message).toBe('The amount field must be at least 10');
    expect(quoteRefusal(coverage, money(10_50n, 'KES'))?.message).toBe('amount must be a whole number');
    expect(quoteRefusal(fullCoverage(['x']), money(9n, 'KES'))).toBeNull();
  });
});
