import { describe, expect, it } from '@jest/globals';
import {
  applyTerms,
  CURRENCIES,
  fullCoverage,
  parseBankTransfer,
  parseDecimal,
  parseDisburse,
  parsePay,
  requestShapes,
  type Coverage,
  type Currencies,
  type Currency,
} from '@vuka/domain';

import { LimitsAndFees, type FeeView, type LimitView } from './limits-and-fees.js';
import { PartnerTerms } from '../partners/partner-terms.js';
import { valueOf } from '../calls/results.spec-support.js';

function shown(
  currencies: Currencies,
  rows: unknown = null,
  coverage: Coverage = fullCoverage(['sandbox']),
): { limits(): LimitView[]; fees(only: Currency | null): FeeView[] } {
  const use = new LimitsAndFees(new PartnerTerms(currencies, { error: () => undefined }), coverage);
  const caller = { partnerId: 1, terms: rows };
  return { limits: () => valueOf(use.limits(caller)), fees: (only) => valueOf(use.fees(caller, only)) };
}

const terms = shown(CURRENCIES);
const all = Object.values<Currency>(CURRENCIES);

const row = (rows: readonly LimitView[], of: Partial<LimitView>): LimitView | undefined =>
  rows.find((candidate) => Object.entries(of).every(([name, value]) => candidate[name as keyof LimitView] === value));

describe('limits', () => {
  it('tell what may be paid in an hour or a day, the deployment’s or the partner’s own, in the rows of that wallet', () => {
    const deployed = applyTerms(CURRENCIES, {
      velocity_limits: [{ per: 'recipient', currency: 'KES', window: 'day', amount: '300000' }],
    });
    if (!deployed.ok) throw new Error(deployed.error);
    const velocities = (rows: unknown): [string, unknown][] =>
      shown(deployed.value, rows)
        .limits()
        .map(({ paid_in, velocity }) => [paid_in, velocity]);
    const usual = [{ per: 'recipient', window: 'day', amount: '300000.00', count: null }];
    for (const [paidIn, velocity] of velocities(null)) expect(velocity).toEqual(paidIn === 'KES' ? usual : undefined);
    const own = velocities({
      velocity_limits: [
        { per: 'recipient', currency: 'KES', window: 'day', amount: null },
        { per: 'key', currency: 'KES', window: 'hour', count: 50 },
      ],
    });
    for (const [paidIn, velocity] of own)
      expect(velocity).toEqual(
        paidIn === 'KES' ? [{ per: 'key', window: 'hour', amount: null, count: 50 }] : undefined,
      );
  });

  it('are those of decisions.md, each kind, network and wallet once', () => {
    const rows = terms.limits();
    const names = rows.map(({ operation, currency, paid_in, type, mobile_network }) =>
      [operation, currency, paid_in, type, mobile_network].join(),
    );
    expect(new Set(names).size).toBe(rows.length);
    expect(rows).toEqual(
      expect.arrayContaining([
        {
          operation: 'bank_transfer',
          currency: 'KES',
          paid_in: 'KES',
          type: 'BANK_TRANSFER',
          mobile_network: '',
          min: '100.00',
          max: '250000.00',
          decimals: 2,
        },
        {
          operation: 'disburse',
          currency: 'KES',
          paid_in: 'KES',
          type: 'MOBILE',
          mobile_network: 'Safaricom',
          min: '20.00',
          max: '250000.00',
          decimals: 0,
        },
        {
          operation: 'disburse',
          currency: 'CDF',
          paid_in: 'USD',
          type: 'MOBILE',
          mobile_network: 'Airtel Money',
          min: '1.00',
          max: '400.00',
          decimals: 2,
        },
        {
          operation: 'disburse',
          currency: 'CDF',
          paid_in: 'CDF',
          type: 'MOBILE',
          mobile_network: 'Mpesa',
          min: '500.00',
          max: '1000000.00',
          decimals: 0,
        },
      ]),
    );
    expect(new Set(rows.map(({ currency }) => currency)).size).toBe(all.length);
    expect(
      new Set(rows.filter(({ operation }) => operation === 'bank_transfer').map(({ currency }) => currency)),
    ).toEqual(new Set(all.filter(({ bankTransfer }) => bankTransfer).map(({ code }) => code)));
  });

  it('are the limits that judge requests: the bound is accepted, and one unit beyond it is refused', () => {
    for (const currency of all) {
      for (const [operation, parse] of [
        ['bank_transfer', parseBankTransfer],
        ['disburse', parseDisburse],
        ['pay', parsePay],
      ] as const) {
        for (const { kind, paidIn, example } of requestShapes(operation, currency)) {
          const type = { mobile: 'MOBILE', paybill: 'PAYBILL', till: 'BUY_GOODS', bank: 'BANK_TRANSFER' }[kind];
          const limit = row(terms.limits(), {
            operation,
            currency: currency.code,
            paid_in: paidIn,
            type,
            ...(kind === 'mobile' && { mobile_network: String(example['mobile_network']) }),
          });
          if (!limit) throw new Error(`no limit of ${operation} ${currency.code} ${kind}`);
          const step = parseDecimal('1', limit.decimals);
          const judged = (amount: string): boolean => parse(currency, { ...example, amount }).ok;
          const beyond = (text: string, by: bigint): string => {
            const minor = parseDecimal(text, limit.decimals);
            if (!minor.ok || !step.ok) throw new Error('no amount');
            const digits = (minor.value + by).toString().padStart(limit.decimals + 1, '0');
            return limit.decimals === 0
              ? digits
              : `${digits.slice(0, -limit.decimals)}.${digits.slice(-limit.decimals)}`;
          };
          expect([
            currency.code,
            operation,
            kind,
            judged(limit.min),
            judged(limit.max),
            judged(beyond(limit.min, -1n)),
            judged(beyond(limit.max, 1n)),
          ]).toEqual([currency.code, operation, kind, true, true, false, false]);
        }
      }
    }
  });

  it('are only what a route carries, within what its providers take', () => {
    const carrier = { provider: 'x', decimals: 0, limits: null, banks: null, accountLength: null };
    const own = shown(CURRENCIES, null, [
      {
        currency: 'GHS',
        kind: 'mobile',
        network: 'MTN',
        carriers: [
          { ...carrier, limits: { minMinor: 7_00n, maxMinor: 20_00n } },
          { ...carrier, limits: { minMinor: 1_00n, maxMinor: 9_00n } },
        ],
      },
      {
        currency: 'GHS',
        kind: 'mobile',
        network: 'Telecel',
        carriers: [{ ...carrier, limits: { minMinor: 1n, maxMinor: 4_99n } }],
      },
      { currency: 'USD', kind: 'mobile', network: 'Mpesa', carriers: [carrier] },
      { currency: 'NGN', kind: 'bank', network: null, carriers: [{ ...carrier, decimals: 2 }] },
    ]);
    expect(
      own
        .limits()
        .map(({ operation, currency, paid_in, type, mobile_network, min, max, decimals }) =>
          [operation, currency, paid_in, type, mobile_network, min, max, decimals].join(' '),
        ),
    ).toEqual([
      'bank_transfer NGN NGN BANK_TRANSFER  100.00 1000000.00 2',
      'disburse NGN NGN BANK_TRANSFER  100.00 1000000.00 2',
      'pay NGN NGN BANK_TRANSFER  100.00 1000000.00 2',
      'disburse GHS GHS MOBILE MTN 5.00 20.00 0',
      'pay GHS GHS MOBILE MTN 5.00 20.00 0',
      'disburse CDF USD MOBILE Mpesa 1.00 400.00 0',
      'pay CDF USD MOBILE Mpesa 1.00 400.00 0',
    ]);
    expect(shown(CURRENCIES, null, []).limits()).toEqual([]);
  });

  it('are this deployment’s', () => {
    const set = applyTerms(CURRENCIES, {
      limits: [{ operation: 'payout', currency: 'KES', type: 'PAYBILL', max: '500' }],
      service_fees: [{ operation: 'disburse', currency: 'KES', flat: '1.5', basis_points: 25 }],
    });
    if (!set.ok) throw new Error(set.error);
    const own = shown(set.value);
    expect(row(own.limits(), { operation: 'disburse', currency: 'KES', type: 'PAYBILL' })).toMatchObject({
      min: '20.00',
      max: '500.00',
    });
    expect(own.fees(CURRENCIES.KES).find(({ operation }) => operation === 'disburse')).toMatchObject({
      flat: '1.50',
      basis_points: 25,
    });
    expect(own.fees(CURRENCIES.KES).find(({ operation }) => operation === 'pay')).toMatchObject({
      flat: '0.00',
      basis_points: 0,
    });
  });
});

describe('of a partner with rows of its own', () => {
  const rows = {
    limits: [{ operation: 'bank_transfer', currency: 'KES', max: '900' }],
    service_fees: [{ operation: 'bank_transfer', currency: 'KES', flat: '12.5' }],
  };

  it('are its own where it has some, and otherwise those of the deployment', () => {
    const own = shown(CURRENCIES, rows);
    expect(row(own.limits(), { operation: 'bank_transfer', currency: 'KES' })).toMatchObject({
      min: '100.00',
      max: '900.00',
    });
    expect(
      own.limits().filter(({ operation, currency }) => operation !== 'bank_transfer' || currency !== 'KES'),
    ).toEqual(terms.limits().filter(({ operation, currency }) => operation !== 'bank_transfer' || currency !== 'KES'));
    expect(own.fees(null).filter((fee, place) => fee.flat !== terms.fees(null)[place]?.flat)).toEqual([
      { operation: 'bank_transfer', currency: 'KES', paid_in: 'KES', flat: '12.50', basis_points: 0 },
    ]);
  });
});

describe('fees', () => {
  it('are told for each operation and wallet of a currency', () => {
    expect(terms.fees(CURRENCIES.KES)).toEqual([
      { operation: 'bank_transfer', currency: 'KES', paid_in: 'KES', flat: '30.00', basis_points: 0 },
      { operation: 'disburse', currency: 'KES', paid_in: 'KES', flat: '0.00', basis_points: 0 },
      { operation: 'pay', currency: 'KES', paid_in: 'KES', flat: '0.00', basis_points: 0 },
    ]);
    expect(terms.fees(CURRENCIES.CDF)).toEqual([
      { operation: 'disburse', currency: 'CDF', paid_in: 'CDF', flat: '0.00', basis_points: 0 },
      { operation: 'disburse', currency: 'CDF', paid_in: 'USD', flat: '0.00', basis_points: 0 },
      { operation: 'pay', currency: 'CDF', paid_in: 'CDF', flat: '0.00', basis_points: 0 },
      { operation: 'pay', currency: 'CDF', paid_in: 'USD', flat: '0.00', basis_points: 0 },
    ]);
    expect(terms.fees(CURRENCIES.UGX)).toEqual(
      (['disburse', 'pay'] as const).map((operation) => ({
        operation,
        currency: 'UGX',
        paid_in: 'UGX',
        flat: '0',
        basis_points: 0,
      })),
    );
    expect(terms.fees(null)).toEqual(all.flatMap((currency) => terms.fees(currency)));
  });
});
