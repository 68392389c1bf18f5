import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CURRENCIES, type Currency } from '@vuka/domain';
import { DeadlineExceededError, ManualClock, ServiceUnavailableError } from '@vuka/runtime';

import { ORDER } from '../calls/services.spec-support.js';
import { openApiDocument } from '../openapi/document.js';
import { OPERATION_TABLE } from '../public-operations.js';
import {
  ask,
  CHECKOUT_KEY,
  CONSUMER_KEY,
  expectError,
  OTHER_CONSUMER_KEY,
  startTestGateway,
  storedKey,
  type Answer,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

const WITH_CHECKOUT_KEY = { 'x-api-key': CHECKOUT_KEY };
const CREATED = new Date(ORDER.created_at);
const GOOD = { network: 'CELO', asset: 'USDC', currency_code: 'KES', amount: '1500', order_id: 'order-1' };

let gateway: TestGateway;
let clock: ManualClock;
let orders = 0;

beforeAll(async () => {
  clock = new ManualClock(CREATED);
  gateway = await startTestGateway({}, clock);
});
afterEach(() => {
  gateway.checkout.refusal = null;
  gateway.checkout.before = () => Promise.resolve();
  gateway.checkout.after = () => Promise.resolve();
});
afterAll(() => gateway.stop());

const newId = (): string => `order-${String(++orders)}`;
const pathOf = (query: Record<string, string>): string => `/v1/checkout/?${new URLSearchParams(query).toString()}`;
const create = (query: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(gateway.port, { path: pathOf(query), headers: { ...WITH_CHECKOUT_KEY, ...headers } });
const statusOf = (order_id: unknown, key = CONSUMER_KEY): Promise<Answer> =>
  ask(gateway.port, { path: '/v1/checkout/status', body: { order_id }, headers: { 'x-api-key': key } });

describe('an order', () => {
  it('is answered in the shape that clients parse: amount due, address and remaining time', async () => {
    const order_id = newId();
    clock.advance(CREATED.getTime() + 1_200 - clock.now().getTime());
    const answer = await create({ ...GOOD, order_id, network: 'celo', currency_code: 'kes', amount: '1500.00' });
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(
      '{"code":200,"message":"The order","data":{' +
        `"order_id":"${order_id}","status":"PENDING","network":"CELO","asset":"USDC","asset_amount":"11.596444",` +
        `"address":"${ORDER.address}","rate":129.35,"amount":11.60,"expires_at":"2026-11-21T12:07:00.000Z",` +
        `"expires_in":419,"memo_address":"","memo":"","payment_url":"https://pay.example.com/pay/page_of_5000000000000000"}}`,
    );
    expect(answer.headers['transaction-code']).toBeUndefined();
    expect(answer.headers['idempotent-replayed']).toBeUndefined();
    expect(gateway.checkout.calls.at(-1)).toEqual({
      partner_id: 1,
      order_id,
      network: 'CELO',
      asset: 'USDC',
      currency: 'KES',
      amount_minor: '150000',
      callback_url: null,
    });
  });

  it('has its full time at first, by any clock, and none after its end', async () => {
    const order_id = newId();
    for (const [at, left] of [
      [-60_000, 420],
      [0, 420],
      [1, 420],
      [1_000, 419],
      [419_001, 1],
      [420_000, 0],
      [86_400_000, 0],
    ] as const) {
      clock.advance(CREATED.getTime() + at - clock.now().getTime());
      expect((await create({ ...GOOD, order_id })).body).toMatchObject({ data: { expires_in: left } });
    }
  });

  it('is one for each order_id: the same request in any spelling gives the same order, and any other is a 409 that names it', async () => {
    const order_id = newId();
    await create({ ...GOOD, order_id });
    const [, known] = [...gateway.checkout.orders].at(-1) ?? [];
    gateway.checkout.orders.set(`1/${order_id}`, { ...known!, status: 'PROCESSING' });
    const again = await create({ ...GOOD, order_id, network: 'Celo', amount: '1500.0' });
    expect([
      again.status,
      again.headers['idempotent-replayed'],
      (again.body as { data: { status: string } }).data.status,
    ]).toEqual([200, 'true', 'PROCESSING']);
    for (const other of [
      { amount: '1501' },
      { network: 'BASE' },
      { asset: 'USDT' },
      { currency_code: 'UGX', amount: '150000' },
    ]) {
      expect(expectError(await create({ ...GOOD, order_id, ...other }), 409, 'reference_reused')).toContain(order_id);
    }
  });

  it('is told at the default webhook URL of its partner', async () => {
    const [prefix, key] = storedKey(CHECKOUT_KEY, 1, { webhookUrl: 'https://hooks.example.com/orders?x=%41' });
    const other = await startTestGateway({}, clock);
    try {
      other.keys.set(prefix, key);
      await ask(other.port, { path: pathOf(GOOD), headers: WITH_CHECKOUT_KEY });
      expect(other.checkout.calls.at(-1)?.callback_url).toBe('https://hooks.example.com/orders?x=%41');
    } finally {
      await other.stop();
    }
  });

  it('accepts the path with and without its last slash, and ignores the body', async () => {
    const order_id = newId();
    const query = new URLSearchParams({ ...GOOD, order_id }).toString();
    expect((await ask(gateway.port, { path: `/v1/checkout?${query}`, headers: WITH_CHECKOUT_KEY })).status).toBe(200);
    const withBody = await ask(gateway.port, {
      path: `/v1/checkout/?${query}`,
      headers: WITH_CHECKOUT_KEY,
      body: { amount: 1, order_id: 'another' },
    });
    expect([withBody.status, withBody.headers['idempotent-replayed']]).toEqual([200, 'true']);
    const blank = await ask(gateway.port, {
      path: `/v1/checkout/?${query}`,
      headers: { ...WITH_CHECKOUT_KEY, 'content-type': 'text/plain' },
      body: ' \n',
    });
    expect(blank.status).toBe(200);
    expectError(
      await ask(gateway.port, {
        path: `/v1/checkout/?${query}`,
        headers: { ...WITH_CHECKOUT_KEY, 'content-type': 'text/plain' },
        body: 'a',
      }),
      415,
      'invalid_request',
    );
    expectError(
      await ask(gateway.port, { path: `/v1/checkout/?${query}`, method: 'GET', headers: WITH_CHECKOUT_KEY }),
      405,
      'invalid_request',
    );
  });

  it.each([
    [{ network: '' }, 'invalid_request', 'network is required'],
    [{ asset: '' }, 'invalid_request', 'asset is required'],
    [{ currency_code: '' }, 'invalid_request', 'currency_code is required'],
    [{ amount: '' }, 'invalid_request', 'amount is required'],
    [{ order_id: '' }, 'invalid_request', 'order_id is required'],
    [{ network: 'TRON' }, 'unsupported_network', /^network must be one of /],
    [{ asset: 'usdc' }, 'unsupported_network', /^asset must be one of .* on CELO$/],
    [{ currency_code: 'EUR' }, 'unsupported_currency', /^currency_code must be one of /],
    [{ amount: '19' }, 'amount_out_of_range', 'The amount field must be at least 20'],
    [{ amount: '250001' }, 'amount_out_of_range', /^amount must be at most 250,000/],
    [{ amount: '1e3' }, 'invalid_request', /^amount /],
    [{ amount: '-1500' }, 'amount_out_of_range', 'The amount field must be at least 20'],
    [{ amount: 'NaN' }, 'invalid_request', /^amount /],
    [{ amount: '1500.001' }, 'invalid_request', /^amount must have at most 2 decimals/],
    [{ currency_code: 'UGX', amount: '1500.5' }, 'invalid_request', /^amount must be a whole number/],
    [{ order_id: 'a b' }, 'invalid_request', /^order_id must be 1 to 100 letters/],
    [{ order_id: 'x'.repeat(101) }, 'invalid_request', /^order_id must be 1 to 100 letters/],
  ])('is refused by the rules, naming the parameter: %o', async (change, code, message) => {
    const calls = gateway.checkout.calls.length;
    const answer = await create({ ...GOOD, order_id: newId(), ...change });
    expect(expectError(answer, 400, code)).toEqual(
      typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
    );
    expect(gateway.checkout.calls).toHaveLength(calls);
  });

  it('takes no parameter twice, and none from the body', async () => {
    const twice = await ask(gateway.port, {
      path: `${pathOf({ ...GOOD, order_id: newId() })}&amount=1600`,
      headers: WITH_CHECKOUT_KEY,
    });
    expect(expectError(twice, 400, 'invalid_request')).toBe('amount must be sent once');
    expect(
      expectError(
        await ask(gateway.port, { path: '/v1/checkout/', headers: WITH_CHECKOUT_KEY, body: GOOD }),
        400,
        'invalid_request',
      ),
    ).toBe('network is required');
    const problem = await ask(gateway.port, {
      path: '/v1/checkout/?network=CELO',
      headers: { ...WITH_CHECKOUT_KEY, accept: 'application/problem+json' },
    });
    expect((problem.body as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer)).toEqual([
      '#/asset',
      '#/currency_code',
      '#/amount',
      '#/order_id',
    ]);
  });

  it('is not made on a network that is not served, but an earlier order there is still answered', async () => {
    const order_id = newId();
    await create({ ...GOOD, order_id });
    const [chains] = [gateway.offramp.chains];
    const other = await startTestGateway({}, clock);
    try {
      other.offramp.chains = chains.filter(({ name }) => name !== 'CELO');
      const refused = await ask(other.port, { path: pathOf({ ...GOOD, order_id }), headers: WITH_CHECKOUT_KEY });
      expect(expectError(refused, 503, 'service_unavailable')).toMatch(
        /^CELO is not served at the moment.* Served: BASE$/,
      );
      expect(other.checkout.calls).toHaveLength(0);
      for (const [name, order] of gateway.checkout.orders) other.checkout.orders.set(name, order);
      const again = await ask(other.port, { path: pathOf({ ...GOOD, order_id }), headers: WITH_CHECKOUT_KEY });
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    } finally {
      await other.stop();
    }
    expect(
      expectError(
        await create({ ...GOOD, order_id: newId(), network: 'BASE', asset: 'USDT' }),
        400,
        'unsupported_network',
      ),
    ).toMatch(/on BASE$/);
  });

  it('is refused with the refusal of checkout', async () => {
    gateway.checkout.refusal = { code: 'rate_limited', message: '3 orders are open', retryAfterS: 60 };
    const crowded = await create({ ...GOOD, order_id: newId() });
    expect([expectError(crowded, 429, 'rate_limited'), crowded.headers['retry-after']]).toEqual([
      '3 orders are open',
      '60',
    ]);
    gateway.checkout.refusal = { code: 'rate_stale', message: 'No fresh rate' };
    expectError(await create({ ...GOOD, order_id: newId() }), 503, 'rate_stale');
  });

  it('says how to find out an open outcome', async () => {
    const order_id = newId();
    gateway.checkout.after = () => Promise.reject(new DeadlineExceededError('checkout', 'createOrder'));
    const late = expectError(await create({ ...GOOD, order_id }), 504, 'outcome_unknown');
    expect(late).toContain('Send the same request again: one order_id makes one order');
    expect(late).toContain(
      `POST /v1/checkout/status with order_id ${order_id}; a 404 within the first minute is no proof`,
    );
    gateway.checkout.after = () => Promise.resolve();
    expect((await create({ ...GOOD, order_id })).headers['idempotent-replayed']).toBe('true');
    gateway.checkout.before = () => Promise.reject(new ServiceUnavailableError('checkout', 'down'));
    expect(expectError(await create({ ...GOOD, order_id }), 503, 'service_unavailable')).toContain(
      'its outcome is open',
    );
  });

  it('is made with a checkout key alone', async () => {
    expect(
      expectError(await create({ ...GOOD, order_id: newId() }, { 'x-api-key': CONSUMER_KEY }), 403, 'forbidden'),
    ).toContain('takes a checkout key');
    expectError(
      await create({ ...GOOD, order_id: newId() }, { 'x-api-key': 'vk_test_checkout_p1_XXXXXXXXXXXXXXXXXXXXXXXX' }),
      401,
      'unauthorized',
    );
    for (const path of ['/account/detail', '/v1/quote', '/v1/status', '/kes/disburse', '/v1/webhooks/endpoint']) {
      expectError(await ask(gateway.port, { path, headers: WITH_CHECKOUT_KEY }), 403, 'forbidden');
    }
  });
});

describe('the status of an order', () => {
  it('is told to either kind of key, in the shape that clients parse', async () => {
    const order_id = newId();
    await create({ ...GOOD, order_id });
    const known = gateway.checkout.orders.get(`1/${order_id}`)!;
    const none = `"received_amount":"0.000000","transaction_hash":null`;
    const facts = `"network":"CELO","asset":"USDC","asset_amount":"11.596444","address":"${ORDER.address}","rate":129.35,"amount":11.60,"expires_at":"2026-11-21T12:07:00.000Z"`;
    const expected = `{"code":200,"message":"The order","data":{"order_id":"${order_id}","status":"PENDING",${facts},"reason":"","message":"Waiting for the payment",${none}}}`;
    for (const key of [CONSUMER_KEY, CHECKOUT_KEY]) expect((await statusOf(order_id, key)).text).toBe(expected);
    const paid = {
      status: 'COMPLETE',
      reason: 'overpaid',
      message: 'Paid',
      received_minor: '12000000',
      transaction_hash: '0xabc',
    } as const;
    gateway.checkout.orders.set(`1/${order_id}`, { ...known, ...paid });
    expect((await statusOf(order_id)).body).toMatchObject({
      data: { status: 'COMPLETE', reason: 'overpaid', received_amount: '12.000000', transaction_hash: '0xabc' },
    });
  });

  it('is the same 404 for an unknown order and for one of another partner', async () => {
    const order_id = newId();
    await create({ ...GOOD, order_id });
    const answers = [await statusOf('nothing'), await statusOf(order_id, OTHER_CONSUMER_KEY)];
    expect(new Set(answers.map((answer) => expectError(answer, 404, 'not_found'))).size).toBe(1);
  });

  it('names the field that it looks up by, and says if it cannot', async () => {
    for (const order_id of [undefined, '', null])
      expect(expectError(await statusOf(order_id), 400, 'invalid_request')).toBe('order_id is required');
    for (const order_id of [7, 'a b', ['a'], 'x'.repeat(101)])
      expectError(await statusOf(order_id), 400, 'invalid_request');
    gateway.checkout.before = () => Promise.reject(new ServiceUnavailableError('checkout', 'down'));
    expect(expectError(await statusOf('any'), 503, 'service_unavailable')).toContain('Nothing was changed');
    expectError(
      await ask(gateway.port, { path: '/v1/checkout/status', headers: { 'x-api-key': 'none' } }),
      401,
      'unauthorized',
    );
  });
});

describe('the examples of the document', () => {
  it('make the order that they ask for, with the keys that it names', async () => {
    const { paths } = openApiDocument({
      table: OPERATION_TABLE,
      sandbox: true,
      currencies: Object.values<Currency>(CURRENCIES),
      today: new Date(),
    }) as unknown as {
      paths: Record<
        string,
        {
          post: {
            security: object[];
            parameters: { name?: string; in?: string; example?: string }[];
            requestBody?: { content: { 'application/json': { examples: Record<string, { value: object }> } } };
          };
        }
      >;
    };
    const { parameters, security } = paths['/v1/checkout/']!.post;
    const query = parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name = '', example = '' }) => [name, example]);
    expect(query.map(([name]) => name)).toEqual(['network', 'asset', 'currency_code', 'amount', 'order_id']);
    expect((await create(Object.fromEntries(query) as Record<string, string>)).status).toBe(200);
    expect(security).toEqual([{ checkout_key: ['orders'] }]);
    const status = paths['/v1/checkout/status']!.post;
    expect(status.security).toEqual([{ key: ['read'] }, { checkout_key: ['read'] }]);
    for (const { value } of Object.values(status.requestBody!.content['application/json'].examples)) {
      expect((await ask(gateway.port, { path: '/v1/checkout/status', body: value })).status).toBe(200);
    }
  });
});
