import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { acceptedTokens } from '../chain/chain.js';
import { CHAINS } from '../chain/registry.js';
import { CURRENCIES, currencyDecimals } from '../currency/registry.js';
import { objectSchema } from '../requests/field-rules.js';
import { formatDecimal } from '../money/decimal.js';
import { orderFingerprint } from '../requests/request-fingerprint.js';
import {
  digestOf,
  ALL_CURRENCIES,
  namesIn,
  refusalOf as refusalIn,
  spellings,
  valueOf,
} from '../requests/requests.spec-support.js';
import { applyTerms } from '../terms/terms.js';
import { ORDER_STATUS_FIELDS, orderFields, parseOrder, parseOrderStatus, queryFields } from './order-request.js';
import { money } from '../money/money.js';

const GOOD = 'network=BASE&asset=USDC&currency_code=KES&amount=1500&order_id=order-1001';
const read = (query: string, currencies = CURRENCIES): ReturnType<typeof parseOrder> =>
  parseOrder(queryFields(new URLSearchParams(query)), currencies);
const changed = (more: Readonly<Record<string, string>>): string => {
  const query = new URLSearchParams(GOOD);
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return query.toString();
};
const orderOf = (more: Readonly<Record<string, string>>): unknown => valueOf(read(changed(more)));
const refusalOf = (query: string): ReturnType<typeof refusalIn> => refusalIn(read(query));

describe('parseOrder', () => {
  it('answers an order in canonical names', () => {
    expect(orderOf({})).toEqual({
      orderId: 'order-1001',
      network: 'BASE',
      asset: 'USDC',
      amount: money(150_000n, 'KES'),
    });
    expect(
      valueOf(
        read('order_id=A&amount=0020.50&currency_code=kes&asset=USD%E2%82%AE&network=ce%20lo&chain=BASE&x=1&x=2'),
      ),
    ).toEqual({
      orderId: 'A',
      network: 'CELO',
      asset: 'USDT',
      amount: money(20_50n, 'KES'),
    });
  });

  it.each(CHAINS.map((chain) => [chain.name, chain] as const))(
    'knows %s by each of its names, and each token that it accepts',
    (network, chain) => {
      for (const [name] of namesIn([chain]))
        fc.assert(
          fc.property(spellings(name), (sent) =>
            expect(orderOf({ network: sent, asset: 'USDC' })).toMatchObject({ network }),
          ),
          { numRuns: 20 },
        );
      for (const { symbol, aliases } of acceptedTokens(chain)) {
        for (const asset of [symbol, ...aliases])
          expect(orderOf({ network, asset })).toMatchObject({ network, asset: symbol });
      }
      for (const asset of ['usdc', 'EURC', 'DAI', 'USDC@BASE'])
        expect(refusalOf(changed({ network, asset }))).toMatchObject({
          code: 'unsupported_network',
          pointers: ['/asset'],
        });
    },
  );

  it.each(ALL_CURRENCIES.map((currency) => [currency.code, currency] as const))(
    'takes in %s what a pay takes, least and most',
    (code, { payouts: [{ currency, destinations }] }) => {
      const decimals = currencyDecimals(currency);
      const limits = destinations.map((one) => one.limits);
      const [least] = limits.map(({ minMinor }) => minMinor).sort((a, b) => (a < b ? -1 : 1));
      const [most] = limits.map(({ maxMinor }) => maxMinor).sort((a, b) => (a > b ? -1 : 1));
      const of = (minor = 0n): string =>
        changed({ currency_code: code.toLowerCase(), amount: formatDecimal(minor, decimals) });
      for (const minor of [least ?? 0n, most ?? 0n])
        expect(valueOf(read(of(minor)))).toMatchObject({ amount: money(minor, code) });
      expect(refusalOf(of((least ?? 0n) - 1n))).toMatchObject({
        code: 'amount_out_of_range',
        message: expect.stringMatching(/^The amount field must be at least \d+$/),
      });
      expect(refusalOf(of((most ?? 0n) + 1n))).toMatchObject({
        code: 'amount_out_of_range',
        message: expect.stringMatching(/^amount must be at most /),
      });
    },
  );

  it('counts by the limits that are set', () => {
    const terms = applyTerms(CURRENCIES, { limits: [{ operation: 'payout', currency: 'UGX', min: '1000' }] });
    if (!terms.ok) throw new Error(terms.error);
    const query = changed({ currency_code: 'UGX', amount: '999' });
    expect(valueOf(read(query))).toMatchObject({ amount: { minor: 999n } });
    expect(refusalIn(read(query, terms.value)).code).toBe('amount_out_of_range');
  });

  it.each([
    '1e3',
    '1,500',
    ' 1500',
    '1500 ',
    '0x10',
    'NaN',
    'Infinity',
    '1500.001',
    '.5',
    '5.',
    '١٥٠٠',
    '9'.repeat(101),
  ])('refuses the amount %s', (amount) => {
    expect(refusalOf(changed({ amount }))).toMatchObject({ code: 'invalid_request', pointers: ['/amount'] });
  });

  it('takes as many decimals as the currency has, and zeros beyond', () => {
    expect(orderOf({ amount: '1500.25' })).toMatchObject({ amount: { minor: 150_025n } });
    expect(orderOf({ amount: '1500.2500' })).toMatchObject({ amount: { minor: 150_025n } });
    expect(orderOf({ amount: '1500.00', currency_code: 'UGX' })).toMatchObject({ amount: { minor: 1_500n } });
    expect(refusalOf(changed({ amount: '1500.5', currency_code: 'UGX' }))).toMatchObject({
      code: 'invalid_request',
      message: 'amount must be a whole number',
    });
    // A plus is a space in a query.
    expect(refusalOf(GOOD.replace('1500', '+1500')).code).toBe('invalid_request');
    expect(refusalOf(changed({ amount: '-5' })).code).toBe('amount_out_of_range');
  });

  it.each(['a b', 'ä', 'a/b', 'a%', 'x'.repeat(101), 'a\n'])('refuses the order_id %j', (orderId) => {
    expect(refusalOf(changed({ order_id: orderId }))).toMatchObject({
      code: 'invalid_request',
      pointers: ['/order_id'],
    });
  });

  it('takes order_id with its letter case, and up to a hundred characters', () => {
    for (const orderId of ['a', 'Order:1.0_x-Y', 'x'.repeat(100)])
      expect(orderOf({ order_id: orderId })).toMatchObject({ orderId });
  });

  it.each(['network', 'asset', 'currency_code', 'amount', 'order_id'])('asks for %s, once', (name) => {
    expect(refusalOf(changed({ [name]: '' }))).toMatchObject({
      code: 'invalid_request',
      message: `${name} is required`,
      pointers: [`/${name}`],
    });
    const value = new URLSearchParams(GOOD).get(name) ?? '';
    for (const twice of [value, 'other', '']) {
      expect(refusalOf(`${GOOD}&${name}=${twice}`)).toMatchObject({
        code: 'invalid_request',
        message: `${name} must be sent once`,
        pointers: [`/${name}`],
      });
    }
  });

  it.each([
    ['currency_code', 'EUR', 'unsupported_currency'],
    ['currency_code', 'USD', 'unsupported_currency'],
    ['currency_code', 'KE', 'unsupported_currency'],
    ['network', 'TRON', 'unsupported_network'],
  ])('refuses %s %s with %s', (name, value, code) => {
    expect(refusalOf(changed({ [name]: value }))).toMatchObject({ code, pointers: [`/${name}`] });
  });

  it('names every fault', () => {
    const all = ['/network', '/asset', '/currency_code', '/amount', '/order_id'];
    expect(refusalOf('')).toEqual({ code: 'invalid_request', message: 'network is required', pointers: all });
    expect(refusalOf('network=TRON&asset=&currency_code=EUR&amount=&order_id=%20').pointers).toEqual(all);
    expect(refusalOf('network=BASE&asset=X&currency_code=KES&amount=1&order_id=%20').pointers).toEqual([
      '/asset',
      '/amount',
      '/order_id',
    ]);
  });

  it('makes an order or a problem of any query', () => {
    const name = fc.constantFrom('network', 'asset', 'currency_code', 'amount', 'order_id', '__proto__', 'toString');
    const value = fc.oneof(fc.string(), fc.constantFrom('BASE', 'USDC', 'KES', '1500', 'order-1', ''));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 8 }), (pairs) => {
        const parsed = parseOrder(queryFields(new URLSearchParams(pairs)), CURRENCIES);
        if (!parsed.ok) expect(parsed.error.faults?.length).toBeGreaterThan(0);
        else expect(parsed.value.amount.minor > 0n).toBe(true);
      }),
    );
  });

  it('says in its schema what it takes', () => {
    const schema = objectSchema(orderFields(CURRENCIES)) as {
      required: string[];
      properties: Record<string, { description: string; enum?: string[] }>;
    };
    expect(schema.required).toEqual(['network', 'asset', 'currency_code', 'amount', 'order_id']);
    expect(schema.properties['network']?.enum).toEqual(CHAINS.map(({ name }) => name));
    expect(schema.properties['currency_code']?.enum).toEqual(Object.keys(CURRENCIES));
    for (const text of ['KES 20 to 250,000', 'UGX 500 to 5,000,000', 'MWK 100 to 5,000,000', 'CDF 500 to 1,000,000'])
      expect(schema.properties['amount']?.description).toContain(text);
  });
});

describe('parseOrderStatus', () => {
  it('takes the name of an order', () => {
    expect(valueOf(parseOrderStatus({ order_id: 'Order-1', x: 1 }))).toEqual({ orderId: 'Order-1' });
    expect(refusalIn(parseOrderStatus({}))).toMatchObject({ code: 'invalid_request', message: 'order_id is required' });
    for (const sent of [5, 'a b', ['a'], {}, ''])
      expect(refusalIn(parseOrderStatus({ order_id: sent }))).toMatchObject({
        code: 'invalid_request',
        pointers: ['/order_id'],
      });
    expect(objectSchema(ORDER_STATUS_FIELDS)).toMatchObject({ required: ['order_id'] });
  });
});

describe('orderFingerprint', () => {
  const printOf = (more: Readonly<Record<string, string>> = {}): string =>
    orderFingerprint(digestOf, valueOf(read(changed(more))));

  it('stays what it was: an order_id is used for ever', () => {
    expect(printOf()).toBe('v1:gtnNMuyuRSbATism0wh1x7CCCK1Xl8d-NXTE-laO1mg');
  });

  it('is the same for every spelling of one order', () => {
    for (const more of [{ amount: '01500.00' }, { network: 'base' }, { currency_code: 'kes' }, { unknown: '1' }])
      expect(printOf(more)).toBe(printOf());
  });

  it('differs by every parameter', () => {
    const others = [
      { amount: '1500.01' },
      { network: 'CELO' },
      { currency_code: 'NGN' },
      { asset: 'USDT', network: 'CELO' },
      { order_id: 'Order-1001' },
    ];
    expect(new Set([printOf(), ...others.map(printOf)]).size).toBe(others.length + 1);
  });
});
