import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import {
  ask,
  expectError,
  OTHER_CONSUMER_KEY,
  startTestGateway,
  TRANSFER,
  type Answer,
  type Ask,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  for (let sent = 0; sent < 5; sent++)
    await call({ path: '/kes/bank-transfer', body: { ...TRANSFER, reference: `sent-${sent}` } });
});

afterAll(() => gateway.stop());

const call = (request: Ask): Promise<Answer> => ask(gateway.port, request);

const DAYS = { start_date: '2026-01-01', end_date: '2026-01-31' };
const LIST = '/v1/transactions';
const STATEMENT = '/account/statement';

interface List {
  readonly message: string;
  readonly data: Record<string, unknown>[];
  readonly next_cursor: string | null;
}

/** decisions.md section 1. */
function listOf(answer: Answer): List {
  expect(answer.status).toBe(200);
  const body = answer.body as List;
  expect(Object.keys(body)).toEqual(['code', 'message', 'data', 'next_cursor']);
  return body;
}

describe('the list of transactions', () => {
  it('accepts every form of the request, and filters by currency', async () => {
    for (const [path, currency] of [
      ['/v1/transactions', null],
      ['/v1/transactions/', null],
      ['/v1/transactions/KES', 'KES'],
      ['/v1/transactions/cd', 'CDF'],
      ['/account/ke/transactions', 'KES'],
      ['/account/UGX/transactions', 'UGX'],
    ] as const) {
      listOf(await call({ path, body: DAYS }));
      expect(gateway.payments.listed.at(-1)).toEqual({
        partner_id: 1,
        currency,
        status: null,
        from: '2026-01-01T00:00:00.000Z',
        before: '2026-02-01T00:00:00.000Z',
        limit: 1000,
        cursor: null,
      });
    }
    expectError(await call({ path: '/v1/transactions/xx', body: DAYS }), 404, 'not_found');
  });

  it('hands on status, limit and cursor, in whatever form they were sent', async () => {
    const first = listOf(await call({ path: LIST, body: { ...DAYS, status: 'complete', limit: '3' } }));
    expect([first.data.map(({ transaction_code }) => transaction_code), first.next_cursor]).toEqual([
      ['sent-4', 'sent-3', 'sent-2'],
      'next',
    ]);
    expect(gateway.payments.listed.at(-1)).toMatchObject({ status: 'COMPLETE', limit: 3, cursor: null });
    listOf(await call({ path: LIST, body: { ...DAYS, status: '', limit: 7, cursor: 'next' } }));
    expect(gateway.payments.listed.at(-1)).toMatchObject({ status: null, limit: 7, cursor: 'next' });
  });

  it('is the caller’s', async () => {
    expect(listOf(await call({ path: LIST, body: DAYS, headers: { 'x-api-key': OTHER_CONSUMER_KEY } })).data).toEqual(
      [],
    );
    expect(gateway.payments.listed.at(-1)?.partner_id).toBe(2);
  });

  it('names every fault, the first one in the message, without a call to payments', async () => {
    const asked = gateway.payments.listed.length;
    const body = { status: 'DONE', start_date: '2026-02-30', limit: 1001, cursor: 5 };
    expect(expectError(await call({ path: LIST, body }), 400, 'invalid_request')).toBe(
      'status must be one of PENDING, PROCESSING, COMPLETE, FAILED, REVERSED',
    );
    const document = await call({ path: LIST, body, headers: { accept: 'application/problem+json' } });
    expect(document.body).toMatchObject({
      detail: 'status must be one of PENDING, PROCESSING, COMPLETE, FAILED, REVERSED',
      errors: ['#/status', '#/start_date', '#/end_date', '#/limit', '#/cursor'].map((pointer) => ({ pointer })),
    });
    for (const internal of ['SUBMITTED', 'REVIEW', 'ACCEPTED'])
      expectError(await call({ path: LIST, body: { ...DAYS, status: internal } }), 400, 'invalid_request');
    expect(expectError(await call({ path: LIST, body: {} }), 400, 'invalid_request')).toBe('start_date is required');
    expect(
      expectError(await call({ path: LIST, body: { ...DAYS, end_date: '2025-12-31' } }), 400, 'invalid_request'),
    ).toBe('end_date must not be before start_date');
    expect(
      expectError(await call({ path: LIST, body: { ...DAYS, end_date: '2027-02-06' } }), 400, 'invalid_request'),
    ).toBe('end_date must be at most 400 days after start_date');
    expect(gateway.payments.listed).toHaveLength(asked);
  });

  it('goes from a day to the 400th after it, both included', async () => {
    listOf(await call({ path: LIST, body: { ...DAYS, end_date: '2027-02-05' } }));
    expect(gateway.payments.listed.at(-1)).toMatchObject({
      from: '2026-01-01T00:00:00.000Z',
      before: '2027-02-06T00:00:00.000Z',
    });
  });

  it('says that a cursor is not of this list', async () => {
    const answer = await call({
      path: LIST,
      body: { ...DAYS, cursor: 'refused' },
      headers: { accept: 'application/problem+json' },
    });
    expect([answer.status, answer.body]).toMatchObject([400, { errors: [{ pointer: '#/cursor' }] }]);
  });
});

describe('the statement', () => {
  it('is of one wallet, whatever the case of its currency, USD too', async () => {
    for (const currency of ['KES', 'kes', 'Usd', 'usd']) {
      const { data, next_cursor } = listOf(await call({ path: STATEMENT, body: { currency, ...DAYS } }));
      expect([data.map((entry) => Object.keys(entry)), next_cursor]).toEqual([
        [['id', 'at', 'kind', 'transaction_code', 'amount', 'balance']],
        null,
      ]);
      expect(gateway.payments.listed.at(-1)).toEqual({
        partner_id: 1,
        currency: currency.toUpperCase(),
        from: '2026-01-01T00:00:00.000Z',
        before: '2026-02-01T00:00:00.000Z',
        limit: 1000,
        cursor: null,
      });
    }
  });

  it('is refused for a currency without wallets, and not found if this partner has no such wallet', async () => {
    for (const currency of ['EUR', 'KE', 'x'.repeat(1000)]) {
      expect(
        expectError(await call({ path: STATEMENT, body: { currency, ...DAYS } }), 400, 'unsupported_currency'),
      ).toMatch(/^currency must be one of KES, .*USD/);
    }
    expectError(await call({ path: STATEMENT, body: { currency: 404, ...DAYS } }), 400, 'invalid_request');
    expect(expectError(await call({ path: STATEMENT, body: DAYS }), 400, 'invalid_request')).toBe(
      'currency is required',
    );
    expectError(await call({ path: STATEMENT, body: { currency: 'ETB', ...DAYS } }), 404, 'not_found');
  });
});

describe('a wallet', () => {
  it('is told with its exact balance', async () => {
    const answer = await call({ path: '/account/wallet/1', body: {} });
    expect(answer.text).toBe(
      '{"code":200,"message":"The wallet","data":{"id":1,"balance":9007199254740993.01,"currency":"KES","country_name":"Kenya"}}',
    );
    expect((await call({ path: '/account/wallet/3/' })).body).toMatchObject({
      data: { id: 3, balance: 10_000, currency: 'USD', country_name: 'United States' },
    });
  });

  it('that is another partner’s, none, or no number: one 404', async () => {
    const paths = ['99', '0', '-1', '01', '1.0', '1e0', 'x', '9'.repeat(400), '%20', '%F0%9F%92%B6'].map(
      (id) => `/account/wallet/${id}`,
    );
    const answers = [
      ...(await Promise.all(paths.map((path) => call({ path })))),
      await call({ path: '/account/wallet/1', headers: { 'x-api-key': OTHER_CONSUMER_KEY } }),
    ];
    expect(new Set(answers.map((answer) => expectError(answer, 404, 'not_found')))).toEqual(
      new Set(['No such wallet']),
    );
  });
});

describe('whole lists', () => {
  it('of countries: ids that are countries’ for ever', async () => {
    expect(listOf(await call({ path: '/account/countries' }))).toMatchObject({
      next_cursor: null,
      data: [
        { id: 404, name: 'Kenya', currency_code: 'KES', phone_code: '254' },
        { id: 800, name: 'Uganda', currency_code: 'UGX', phone_code: '256' },
        { id: 566, name: 'Nigeria', currency_code: 'NGN', phone_code: '234' },
        { id: 288, name: 'Ghana', currency_code: 'GHS', phone_code: '233' },
        { id: 454, name: 'Malawi', currency_code: 'MWK', phone_code: '265' },
        { id: 180, name: 'Democratic Republic of the Congo', currency_code: 'CDF', phone_code: '243' },
        { id: 231, name: 'Ethiopia', currency_code: 'ETB', phone_code: '251' },
      ],
    });
  });

  it('of networks: as in the account', async () => {
    const { data, next_cursor } = listOf(await call({ path: '/account/networks' }));
    const account = await call({ path: '/account/detail' });
    expect([data, next_cursor]).toEqual([(account.body as { data: { networks: unknown } }).data.networks, null]);
  });

  it('of limits and fees', async () => {
    const limits = listOf(await call({ path: '/v1/limits' }));
    expect(Object.keys(limits.data[0] ?? {})).toEqual([
      'operation',
      'currency',
      'paid_in',
      'type',
      'mobile_network',
      'min',
      'max',
      'decimals',
    ]);
    const fees = listOf(await call({ path: '/v1/fees' }));
    const kenyan = listOf(await call({ path: '/v1/fees/ke' }));
    expect(kenyan.data).toEqual(fees.data.filter(({ currency }) => currency === 'KES'));
    expect(kenyan.data).toContainEqual({
      operation: 'bank_transfer',
      currency: 'KES',
      paid_in: 'KES',
      flat: '30.00',
      basis_points: 0,
    });
    expectError(await call({ path: '/v1/fees/xx' }), 404, 'not_found');
    expect([limits.next_cursor, fees.next_cursor, kenyan.next_cursor]).toEqual([null, null, null]);
  });
});
