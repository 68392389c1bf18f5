import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceUnavailableError } from '@vuka/runtime';

import {
  ask,
  CHECKOUT_KEY,
  expectError,
  QUOTE,
  startTestGateway,
  type Answer,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});

afterEach(() => {
  gateway.offramp.refusal = null;
  gateway.offramp.away = null;
});

afterAll(() => gateway.stop());

const post = (path: string, body: object = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(gateway.port, { path, body, headers });
const STALE = { code: 'rate_stale', message: 'There is no fresh rate at the moment' } as const;

describe('exchange rates', () => {
  it('are JSON numbers, digit for digit', async () => {
    expect((await post('/v1/exchange-rate', { currency_code: 'KES' })).text).toBe(
      '{"code":200,"message":"The exchange rate","data":{"buying_rate":129.35,"selling_rate":131.05,"quoted_rate":130.2}}',
    );
    const saved = gateway.offramp.rate;
    gateway.offramp.rate = {
      buying_rate: '3560.000',
      selling_rate: '0003560.100000',
      quoted_rate: '0.123456789012345678',
    };
    expect((await post('/v1/exchange-rate/', { currency_code: 'ugx' })).text).toContain(
      '"data":{"buying_rate":3560,"selling_rate":3560.1,"quoted_rate":0.123456789012345678}',
    );
    gateway.offramp.rate = saved;
    expect(gateway.offramp.asked.at(-1)).toBe('exchangeRate UGX');
  });

  it('tell at /v2 what is open, too', async () => {
    const rates = { buying_rate: 129.35, selling_rate: 131.05, quoted_rate: 130.2, is_onramp_active: false };
    expect((await post('/v2/exchange-rate', { currency_code: 'KES' })).body).toMatchObject({
      data: { ...rates, is_offramp_active: true },
    });
    const closed = await startTestGateway();
    closed.offramp.chains = [];
    try {
      expect(
        (await ask(closed.port, { path: '/v2/exchange-rate', body: { currency_code: 'KES' } })).body,
      ).toMatchObject({ data: { ...rates, is_offramp_active: false } });
    } finally {
      await closed.stop();
    }
  });

  it.each([
    [
      { buying_rate: true, to: 'kes' },
      { from: 'USD', to: 'KES', rate: 129.35 },
    ],
    [
      { selling_rate: true, from: 'KES', buying_rate: false },
      { from: 'KES', to: 'USD', rate: 131.05 },
    ],
    [
      { buying_rate: true, to: 'NGN', selling_rate: null, from: 'USD' },
      { from: 'USD', to: 'NGN', rate: 129.35 },
    ],
  ])('tell of an account one direction: %j', async (body, data) => {
    expect((await post('/account/exchange-rate', body)).body).toEqual({
      code: 200,
      message: 'The exchange rate',
      data,
    });
  });

  it.each<[string, object, string, string]>([
    ['/v1/exchange-rate', {}, 'invalid_request', 'currency_code is required'],
    ['/v2/exchange-rate', { currency_code: 'EUR' }, 'unsupported_currency', 'currency_code must be one of '],
    ['/v1/exchange-rate', { currency_code: 1 }, 'invalid_request', 'currency_code must be a string'],
    [
      '/account/exchange-rate',
      {},
      'invalid_request',
      'Send either buying_rate: true and to, or selling_rate: true and from',
    ],
    [
      '/account/exchange-rate',
      { buying_rate: true, selling_rate: true, to: 'KES', from: 'KES' },
      'invalid_request',
      'Send either ',
    ],
    [
      '/account/exchange-rate',
      { buying_rate: 'true', to: 'KES' },
      'invalid_request',
      'buying_rate must be true or false, not a string',
    ],
    ['/account/exchange-rate', { buying_rate: true, from: 'KES' }, 'invalid_request', 'to is required'],
    ['/account/exchange-rate', { selling_rate: true, from: 'XXX' }, 'unsupported_currency', 'from must be one of '],
  ])('are refused at %s for %j', async (path, body, code, message) => {
    expect(expectError(await post(path, body), 400, code)).toContain(message);
  });

  it('are a 503 where they are stale, or offramp is away', async () => {
    const asks = [
      ['/v1/exchange-rate', { currency_code: 'KES' }],
      ['/v2/exchange-rate', { currency_code: 'KES' }],
      ['/account/exchange-rate', { buying_rate: true, to: 'KES' }],
      ['/v1/quote', { amount: 100, asset: 'USDC' }],
    ] as const;
    gateway.offramp.refusal = STALE;
    for (const [path, body] of asks) expect(expectError(await post(path, body), 503, 'rate_stale')).toBe(STALE.message);
    gateway.offramp.away = new ServiceUnavailableError('offramp', 'down');
    for (const [path, body] of asks) expectError(await post(path, body), 503, 'service_unavailable');
  });

  it('take a consumer key, as quotes do', async () => {
    for (const path of ['/v1/exchange-rate', '/v2/exchange-rate', '/account/exchange-rate', '/v1/quote']) {
      expectError(await post(path, {}, { 'x-api-key': CHECKOUT_KEY }), 403, 'forbidden');
      expectError(await ask(gateway.port, { method: 'GET', path }), 405, 'invalid_request');
    }
  });
});

describe('a quote', () => {
  it('says what to send where, and for how long it holds', async () => {
    const { amount_minor: _, ...rest } = QUOTE;
    const answer = await post('/v1/quote', { amount: '1500', chain: 'celo', asset: 'USDC' });
    expect(answer.body).toEqual({ code: 200, message: 'The quote', data: { ...rest, amount: '1500.00' } });
    expect(Object.keys((answer.body as { data: object }).data)).toEqual([
      'quote_id',
      'rate',
      'amount',
      'asset_amount',
      'amount_in_usd',
      'settlement_wallet_address',
      'memo_address',
      'memo',
      'expires_in',
      'expires_at',
    ]);
    expect(gateway.offramp.quotes.at(-1)).toEqual({
      partner_id: 1,
      currency: 'KES',
      amount_minor: '150000',
      chain: 'CELO',
      asset: 'USDC',
    });
  });

  it.each<[string, object, object]>([
    [
      '/v1/quote/ugx',
      { amount: 500, asset: 'USDT', chain: 'bsc' },
      { currency: 'UGX', amount_minor: '500', chain: 'BNB', asset: 'USDT' },
    ],
    [
      '/v1/quote/CD/',
      { amount: 5, asset: 'USDC', currency: 'USD' },
      { currency: 'USD', amount_minor: '500', chain: 'CELO', asset: 'USDC' },
    ],
    [
      '/v1/quote/',
      { amount: 100, asset: 'USDC', chain: '' },
      { currency: 'KES', amount_minor: '10000', chain: 'CELO', asset: 'USDC' },
    ],
  ])('is asked for at %s with %j', async (path, body, asked) => {
    expect((await post(path, body)).status).toBe(200);
    expect(gateway.offramp.quotes.at(-1)).toEqual({ partner_id: 1, ...asked });
  });

  it('is refused by the rules of pay, and as offramp refuses it', async () => {
    expect(expectError(await post('/v1/quote', { amount: 19, asset: 'USDC' }), 400, 'amount_out_of_range')).toBe(
      'The amount field must be at least 20',
    );
    expect(expectError(await post('/v1/quote', { amount: 100 }), 400, 'invalid_request')).toBe('asset is required');
    expectError(await post('/v1/quote', { amount: 100, asset: 'USDM' }), 400, 'unsupported_network');
    expectError(await post('/v1/quote', { amount: 100, asset: 'USDC', chain: 'TRON' }), 400, 'unsupported_network');
    expectError(await post('/v1/quote/xxx', { amount: 100, asset: 'USDC' }), 404, 'not_found');
    gateway.offramp.refusal = { code: 'service_unavailable', message: 'BASE is not served here' };
    expect(
      expectError(await post('/v1/quote', { amount: 100, asset: 'USDC', chain: 'BASE' }), 503, 'service_unavailable'),
    ).toBe('BASE is not served here');
  });

  it('of an account whose open quotes are worth too much is a 429 that says when to come again', async () => {
    gateway.offramp.refusal = {
      code: 'rate_limited',
      message: 'Open quotes of this account would be worth more than 10 US dollars',
      retryAfterS: 30,
    };
    const answer = await post('/v1/quote', { amount: 100, asset: 'USDC' });
    expect(expectError(answer, 429, 'rate_limited')).toContain('10 US dollars');
    expect(answer.headers['retry-after']).toBe('30');
  });
});
