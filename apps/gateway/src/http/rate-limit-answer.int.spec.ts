import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AddressRanges } from '@vuka/config';
import { ManualClock } from '@vuka/runtime';

import {
  ask,
  askRaw,
  CHECKOUT_KEY,
  CONSUMER_KEY,
  expectError,
  limitsOf,
  OTHER_CONSUMER_KEY,
  startTestGateway,
  storedKey,
  TRANSFER,
  type Answer,
  type Ask,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

const SECOND_KEY_OF_ONE = 'vk_test_consumer_p1b_EEEEEEEEEEEEEEEEEEEEEEEE';
const LOOKUP = {
  path: '/v1/validation',
  body: { type: 'MOBILE', shortcode: '0712345678', mobile_network: 'Safaricom' },
} as const;

let gateway: TestGateway;
let clock: ManualClock;
let looksFrom: (string | undefined)[];

beforeEach(async () => {
  clock = new ManualClock(new Date());
  const rates = {
    partner: { ratePerS: 2, burst: 5 },
    lookups: { ratePerS: 1, burst: 2 },
    failedAuth: { ratePerS: 1, burst: 3 },
  };
  const limits = limitsOf(rates, clock);
  limits.countPageLook = async (address) => {
    looksFrom.push(address);
    return null;
  };
  looksFrom = [];
  // All requests come through a trusted proxy.
  gateway = await startTestGateway({ limits, settings: { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] } });
  gateway.keys.set(...storedKey(SECOND_KEY_OF_ONE, 1));
});

afterEach(() => gateway.stop());

const call = (request: Ask): Promise<Answer> => ask(gateway.port, request);
const as = (key: string, request: Ask): Promise<Answer> =>
  call({ ...request, headers: { ...request.headers, 'x-api-key': key } });
const banks = (key = CONSUMER_KEY): Promise<Answer> => as(key, { path: '/v1/banks' });
const limitOf = ({ headers }: Answer): unknown[] => [
  headers['ratelimit-policy'],
  headers['ratelimit'],
  headers['retry-after'],
];

async function spend(times: number, key?: string): Promise<void> {
  for (let i = 0; i < times; i++) expect((await banks(key)).status).toBe(200);
}

describe('limit of a partner', () => {
  it('is on every answer that was counted, good or bad', async () => {
    expect(limitOf(await banks())).toEqual(['"partner";q=5;w=3', '"partner";r=4;t=1', undefined]);
    const bad = await call({ path: '/kes/bank-transfer', body: { ...TRANSFER, amount: 1 } });
    expect([bad.status, ...limitOf(bad)]).toEqual([400, '"partner";q=5;w=3', '"partner";r=3;t=1', undefined]);
    const nowhere = await call({ path: '/xyz/status' });
    expect([nowhere.status, ...limitOf(nowhere)]).toEqual([404, '"partner";q=5;w=3', '"partner";r=2;t=2', undefined]);
    const text = await call({ path: '/v1/status', body: 'x', headers: { 'content-type': 'text/plain' } });
    expect([text.status, ...limitOf(text)]).toEqual([415, '"partner";q=5;w=3', '"partner";r=1;t=2', undefined]);
  });

  it('answers one request too many with 429, and accepts the next one at the announced time', async () => {
    await spend(5);
    const refused = await banks();
    const message = expectError(refused, 429, 'rate_limited');
    expect(message).toBe(
      'Too many requests: a partner may send, all keys together, 2 a second, and up to 5 at once. Nothing was done. Send it again in 1 s',
    );
    expect(limitOf(refused)).toEqual(['"partner";q=5;w=3', '"partner";r=0;t=1', '1']);
    clock.advance(1_000);
    await spend(2);
    expect((await banks()).status).toBe(429);
    clock.advance(3_000);
    await spend(5);
  });

  it('is shared by the keys of one partner only', async () => {
    await spend(3);
    await spend(2, SECOND_KEY_OF_ONE);
    expect((await banks(SECOND_KEY_OF_ONE)).status).toBe(429);
    expect((await banks()).status).toBe(429);
    await spend(5, OTHER_CONSUMER_KEY);
  });

  it('refuses before the body is read, consumes nothing and names no transaction', async () => {
    await spend(5);
    const asked = { path: '/kes/bank-transfer', body: { ...TRANSFER, reference: 'again' } };
    const refused = await call(asked);
    expectError(refused, 429, 'rate_limited');
    expect(refused.headers['transaction-code']).toBeUndefined();
    expect(gateway.payments.calls).toEqual([]);
    const head = `POST /kes/bank-transfer HTTP/1.1\r\nHost: x\r\nx-api-key: ${CONSUMER_KEY}\r\nContent-Length: 60000\r\n\r\n`;
    expect(await askRaw(gateway.port, `${head}{`)).toMatch(/^HTTP\/1\.1 429 /);
    clock.advance(1_000);
    expect((await call(asked)).status).toBe(200);
  });

  it('comes after 403 and before the currency of the path', async () => {
    await spend(5);
    for (let i = 0; i < 9; i++) expectError(await as(CHECKOUT_KEY, { path: '/v1/banks' }), 403, 'forbidden');
    expectError(await call({ path: '/xyz/status' }), 429, 'rate_limited');
    expectError(await call({ method: 'GET', path: '/v1/banks' }), 405, 'invalid_request');
    expectError(await call({ path: '/v1/nothing' }), 404, 'not_found');
  });

  it('tells a 429 as a problem document to who asks for one', async () => {
    await spend(5);
    const refused = await call({ path: '/v1/banks', headers: { accept: 'application/problem+json' } });
    expect(refused.headers['content-type']).toBe('application/problem+json');
    expect([refused.body, refused.headers['retry-after']]).toMatchObject([
      { type: 'urn:vuka:error:rate_limited', status: 429, title: 'Too many requests' },
      '1',
    ]);
  });

  it('counts name lookups separately', async () => {
    const looked = await call(LOOKUP);
    expect([looked.status, ...limitOf(looked)]).toEqual([200, '"lookups";q=2;w=2', '"lookups";r=1;t=1', undefined]);
    expect((await call(LOOKUP)).status).toBe(200);
    const refused = await call(LOOKUP);
    expect(expectError(refused, 429, 'rate_limited')).toMatch(
      /^Too many name lookups: .* 1 a second, and up to 2 at once/,
    );
    expect(gateway.names.calls).toHaveLength(2);
    await spend(5);
    expect((await as(OTHER_CONSUMER_KEY, LOOKUP)).status).toBe(200);
  });
});

describe('limit of an address', () => {
  const wrong = { path: '/kes/bank-transfer', body: TRANSFER, headers: { 'x-api-key': 'wrong' } };

  it('answers 429 to invalid keys, and never blocks a valid one', async () => {
    for (let left = 2; left >= 0; left--) {
      const refused = await call(wrong);
      expectError(refused, 401, 'unauthorized');
      expect(limitOf(refused)).toEqual([
        '"failed-auth";q=3;w=3',
        `"failed-auth";r=${String(left)};t=${String(3 - left)}`,
        undefined,
      ]);
    }
    for (const key of ['wrong', '', CONSUMER_KEY.replace('p1', 'p9')]) {
      const refused = await as(key, wrong);
      expect(expectError(refused, 429, 'rate_limited')).toMatch(
        /^Too many requests without a valid API key: one address may send 1 a second/,
      );
      expect(limitOf(refused)).toEqual(['"failed-auth";q=3;w=3', '"failed-auth";r=0;t=1', '1']);
      expect(refused.headers['www-authenticate']).toBeUndefined();
    }
    await spend(5);
    expect(limitOf(await banks(OTHER_CONSUMER_KEY))[0]).toBe('"partner";q=5;w=3');
    clock.advance(1_000);
    expectError(await call(wrong), 401, 'unauthorized');
  });

  it('does not count requests without a key', async () => {
    for (let i = 0; i < 9; i++) {
      const answers = [
        await call({ method: 'GET', path: '/health/live' }),
        await call({ path: '/v1/nothing' }),
        await call({ method: 'GET', path: '/v1/banks' }),
      ];
      expect(answers.map(({ status, headers }) => [status, headers['ratelimit']])).toEqual([
        [200, undefined],
        [404, undefined],
        [405, undefined],
      ]);
    }
    expectError(await call(wrong), 401, 'unauthorized');
  });

  it('uses the address that a trusted proxy names, whatever the caller wrote before it', async () => {
    const from = (forwarded: string): Promise<Answer> =>
      call({ ...wrong, headers: { ...wrong.headers, 'x-forwarded-for': forwarded } });
    for (const forged of ['', '192.0.2.2, ', 'nonsense, '])
      expectError(await from(`${forged}192.0.2.1, 10.1.1.1`), 401, 'unauthorized');
    expectError(await from('198.51.100.7, 192.0.2.1'), 429, 'rate_limited');
    expectError(await from('192.0.2.2'), 401, 'unauthorized');
    expectError(await call(wrong), 401, 'unauthorized');
  });
});

describe('the address that a trusted proxy names', () => {
  it('is the one that keys are bound to and that payment pages are counted for', async () => {
    gateway.keys.set(...storedKey(SECOND_KEY_OF_ONE, 1, { addresses: AddressRanges.of(['192.0.2.0/24']) }));
    const statuses: number[] = [];
    for (const forwarded of ['192.0.2.1', '192.0.2.1, 203.0.113.1', '203.0.113.1, 192.0.2.1', '192.0.2.1, x']) {
      statuses.push(
        (await as(SECOND_KEY_OF_ONE, { path: '/v1/banks', headers: { 'x-forwarded-for': forwarded } })).status,
      );
    }
    expect([...statuses, (await banks(SECOND_KEY_OF_ONE)).status]).toEqual([200, 403, 200, 403, 403]);
    const page = await askRaw(
      gateway.port,
      `GET /pay/${'a'.repeat(43)} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.9, 203.0.113.1\r\nX-Forwarded-For: 10.1.1.1\r\nConnection: close\r\n\r\n`,
    );
    expect([page.slice(9, 12), looksFrom]).toEqual(['404', ['203.0.113.1']]);
  });
});
