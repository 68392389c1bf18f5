import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CURRENCIES, type Currency } from '@vuka/domain';
import { ServiceUnavailableError } from '@vuka/runtime';

import { openApiDocument } from '../openapi/document.js';
import { OPERATION_TABLE } from '../public-operations.js';
import {
  ask,
  CHECKOUT_KEY,
  DELIVERY,
  expectError,
  OTHER_CONSUMER_KEY,
  startTestGateway,
  storedKey,
  CONSUMER_KEY,
  type Answer,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const set = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(gateway.port, { path: '/v1/webhooks/endpoint', body, headers });

describe('the default webhook URL', () => {
  it('is kept byte for byte, and cleared by null', async () => {
    const url = 'https://hooks.example.com/a%2Fb?x=%41&y=1+2&&z';
    const answer = await set({ url });
    expect([answer.status, answer.body, gateway.webhooks.get(1)]).toEqual([
      200,
      { code: 200, message: 'The default webhook URL', data: { url } },
      url,
    ]);
    expect([(await set({ url: null })).body, gateway.webhooks.get(1)]).toEqual([
      expect.objectContaining({ data: { url: null } }),
      null,
    ]);
    await set({ url });
    expect([(await set({ url: '' })).body, gateway.webhooks.get(1)]).toEqual([
      expect.objectContaining({ data: { url: null } }),
      null,
    ]);
  });

  it.each([
    'http://example.com',
    'https://127.1/',
    'https://u:p@example.com',
    'nonsense',
    'https://[::1]/',
    'https://2130706433/',
    'https://example.com/\n',
    5,
    {},
    `https://example.com/${'x'.repeat(2_048)}`,
  ])('must be a URL that may be called: %j', async (url) => {
    gateway.webhooks.clear();
    expect(expectError(await set({ url }), 400, 'invalid_callback_url')).toMatch(/^url /);
    expect(gateway.webhooks.size).toBe(0);
  });

  it('is not cleared by a request that forgot it, nor by a checkout key', async () => {
    gateway.webhooks.clear();
    expect(expectError(await set({}), 400, 'invalid_request')).toBe('url is required');
    expectError(await set({ url: null }, { 'x-api-key': CHECKOUT_KEY }), 403, 'forbidden');
    expect(gateway.webhooks.size).toBe(0);
  });

  it('says that the outcome is open if it could not be stored', async () => {
    const broken = await startTestGateway({
      webhooks: { setDefaultUrl: () => Promise.reject(new Error('the database is away')) },
    });
    try {
      const answer = await ask(broken.port, { path: '/v1/webhooks/endpoint', body: { url: null } });
      expect(expectError(answer, 503, 'service_unavailable')).toContain('Send the same request again');
    } finally {
      await broken.stop();
    }
  });

  it('takes every example of the document', async () => {
    const { paths } = openApiDocument({
      table: OPERATION_TABLE,
      sandbox: true,
      currencies: Object.values<Currency>(CURRENCIES),
      today: new Date(),
    }) as unknown as {
      paths: Record<
        string,
        { post: { requestBody: { content: { 'application/json': { examples: Record<string, { value: object }> } } } } }
      >;
    };
    const { examples } = paths['/v1/webhooks/endpoint']!.post.requestBody.content['application/json'];
    for (const { value } of Object.values(examples)) expect((await set(value)).body).toMatchObject({ data: value });
    expect(Object.keys(examples)).toEqual(['set', 'clear']);
  });
});

const post = (path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> =>
  ask(gateway.port, { path, headers, ...(body !== undefined && { body }) });
const OTHER = { 'x-api-key': OTHER_CONSUMER_KEY };
const URL_OF_ONE = 'https://hooks.example.com/vuka';

beforeEach(() => {
  gateway.notifier.deliveries.clear();
  gateway.notifier.away = null;
  for (const asked of [
    gateway.notifier.tested,
    gateway.notifier.listed,
    gateway.notifier.resentOnes,
    gateway.notifier.resentMany,
  ])
    asked.length = 0;
});

describe('a test webhook', () => {
  it('goes to the default URL of whoever asks', async () => {
    const own = await startTestGateway();
    try {
      const [prefix, key] = storedKey(CONSUMER_KEY, 1, { webhookUrl: URL_OF_ONE });
      own.keys.set(prefix, key);
      const answer = await ask(own.port, { path: '/v1/webhooks/test' });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        code: 200,
        message: 'The test webhook is due',
        data: { event: 'webhook.test', state: 'pending', url: URL_OF_ONE },
      });
      expect(own.notifier.tested).toEqual([{ partner_id: 1, url: URL_OF_ONE }]);
    } finally {
      await own.stop();
    }
  });

  it('needs one, and says how to set it', async () => {
    expect(expectError(await post('/v1/webhooks/test'), 400, 'invalid_request')).toContain('/v1/webhooks/endpoint');
    expect(gateway.notifier.tested).toEqual([]);
  });
});

describe('the log of webhooks', () => {
  it('is the caller’s own, as it stands', async () => {
    gateway.notifier.deliveries.set(1, [DELIVERY]);
    const answer = await post('/v1/webhooks/deliveries');
    expect([answer.status, answer.body]).toEqual([
      200,
      { code: 200, message: 'The deliveries', data: [DELIVERY], next_cursor: 'next' },
    ]);
    expect(gateway.notifier.listed).toEqual([
      {
        partner_id: 1,
        state: null,
        event: null,
        transaction_code: null,
        order_id: null,
        from: null,
        before: null,
        limit: 50,
        cursor: null,
      },
    ]);
    expect((await post('/v1/webhooks/deliveries', {}, OTHER)).body).toMatchObject({ data: [] });
    expect(gateway.notifier.listed[1]).toMatchObject({ partner_id: 2 });
  });

  it('is asked for by what partners know', async () => {
    await post('/v1/webhooks/deliveries', {
      state: 'FAILED',
      event: 'transaction.complete',
      transaction_code: 'order-41',
      order_id: '',
      start_date: '2026-11-01',
      end_date: '2026-11-30',
      limit: '7',
      cursor: 'x',
    });
    await post('/v1/webhooks/deliveries', { start_date: '2026-11-01' });
    await post('/v1/webhooks/deliveries', { end_date: '2026-11-30' });
    expect(gateway.notifier.listed).toEqual([
      {
        partner_id: 1,
        state: 'failed',
        event: 'transaction.complete',
        transaction_code: 'order-41',
        order_id: null,
        from: '2026-11-01T00:00:00.000Z',
        before: '2026-12-01T00:00:00.000Z',
        limit: 7,
        cursor: 'x',
      },
      expect.objectContaining({ from: '2026-11-01T00:00:00.000Z', before: null }),
      expect.objectContaining({ from: null, before: '2026-12-01T00:00:00.000Z' }),
    ]);
  });

  it.each([
    [{ state: 'exhausted' }, 'state'],
    [{ event: 'payment' }, 'event'],
    [{ limit: 101 }, 'limit'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ transaction_code: 'x'.repeat(101) }, 'transaction_code'],
    [{ order_id: 5 }, 'order_id'],
    [{ start_date: '2026-02-30' }, 'start_date'],
    [{ start_date: '2026-11-02', end_date: '2026-11-01' }, 'end_date'],
    [{ start_date: '2024-01-01', end_date: '2026-01-01' }, 'end_date'],
    [{ cursor: 'x'.repeat(201) }, 'cursor'],
  ])('refuses %j', async (body, field) => {
    expect(expectError(await post('/v1/webhooks/deliveries', body), 400, 'invalid_request')).toMatch(
      new RegExp(`^${field} `),
    );
    expect(gateway.notifier.listed).toEqual([]);
  });

  it('answers 503 while notifier is away, like every operation of notifier', async () => {
    gateway.notifier.away = new ServiceUnavailableError('notifier', 'no connection', { sent: false });
    gateway.notifier.deliveries.set(1, [DELIVERY]);
    for (const path of [
      '/v1/webhooks/deliveries',
      '/v1/webhooks/deliveries/1/resend',
      '/v1/webhooks/deliveries/resend',
    ])
      expectError(await post(path), 503, 'service_unavailable');
    expect((await post('/v1/webhooks/endpoint', { url: null })).status).toBe(200);
  });
});

describe('webhooks that are asked for again', () => {
  it('are those of the caller: webhooks of another partner look unknown', async () => {
    gateway.notifier.deliveries.set(1, [DELIVERY]);
    expect((await post('/v1/webhooks/deliveries/1/resend')).body).toEqual({
      code: 200,
      message: 'The delivery is due',
      data: { ...DELIVERY, state: 'pending' },
    });
    const [foreign, absent] = [
      await post('/v1/webhooks/deliveries/1/resend', {}, OTHER),
      await post('/v1/webhooks/deliveries/2/resend', {}, OTHER),
    ];
    expect(expectError(foreign, 404, 'not_found')).toBe(expectError(absent, 404, 'not_found'));
    expect(gateway.notifier.resentOnes.map(({ partner_id: partner }) => partner)).toEqual([1, 2, 2]);
  });

  it.each(['0', '-1', '1.0', '1e3', 'x', '9007199254740993', '99999999999999999999'])(
    'are none under the id %s',
    async (id) => {
      expectError(await post(`/v1/webhooks/deliveries/${id}/resend`), 404, 'not_found');
      expect(gateway.notifier.resentOnes).toEqual([]);
    },
  );

  it('are by default all that were given up, up to the limit of one request', async () => {
    expect((await post('/v1/webhooks/deliveries/resend')).body).toEqual({
      code: 200,
      message: 'The deliveries are due',
      data: { resent: 1_000, more: true, cursor: 'behind' },
    });
    const last = await post('/v1/webhooks/deliveries/resend', {
      state: 'delivered',
      event: 'order.failed',
      start_date: '2026-11-01',
      cursor: 'behind',
    });
    expect(last.body).toMatchObject({ data: { resent: 1_000, more: false, cursor: null } });
    expect(gateway.notifier.resentMany).toEqual([
      { partner_id: 1, state: 'failed', event: null, from: null, before: null, cursor: null },
      {
        partner_id: 1,
        state: 'delivered',
        event: 'order.failed',
        from: '2026-11-01T00:00:00.000Z',
        before: null,
        cursor: 'behind',
      },
    ]);
    expectError(await post('/v1/webhooks/deliveries/resend', { state: 'pending' }), 400, 'invalid_request');
    expectError(await post('/v1/webhooks/deliveries/resend', {}, { 'x-api-key': CHECKOUT_KEY }), 403, 'forbidden');
  });
});
