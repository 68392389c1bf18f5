import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AddressRanges } from '@vuka/config';

import {
  ask,
  askRaw,
  CHECKOUT_KEY,
  CONSUMER_KEY,
  expectError,
  startTestGateway,
  storedKey,
  TRANSFER,
  type Answer,
  type Ask,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});

afterAll(() => gateway.stop());

const call = (request: Ask): Promise<Answer> => ask(gateway.port, request);

describe('envelope', () => {
  it('answers a transfer with exactly 200 and the acceptance record', async () => {
    const answer = await call({ path: '/kes/bank-transfer', body: TRANSFER });
    expect(answer.status).toBe(200);
    const body = answer.body as { code: number; message: string; data: Record<string, string> };
    expect(Object.keys(body)).toEqual(['code', 'message', 'data']);
    expect(Object.keys(body.data)).toEqual(['status', 'transaction_code', 'message']);
    expect(body.data['status']).toBe('PENDING');
    expect(body.data['transaction_code']).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(answer.headers['transaction-code']).toBe(body.data['transaction_code']);
    expect(answer.headers['error-code']).toBeUndefined();
  });

  it('echoes a sane request id and replaces any other', async () => {
    for (const sane of ['A.b-c_9', 'Root=1-67891233-abcdef012345678912345678', 'urn:order/7+1@shop', 'x'.repeat(128)]) {
      expect((await call({ path: '/nope', headers: { 'request-id': sane } })).headers['request-id']).toBe(sane);
    }
    for (const odd of ['has space', 'x'.repeat(129), 'ü', '', 'a,b', 'a"b', 'a%20b']) {
      const answer = await call({ path: '/nope', headers: { 'request-id': Buffer.from(odd).toString('latin1') } });
      expect(answer.headers['request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('tells a problem as RFC 9457 only to those who name the type', async () => {
    const path = '/kes/bank-transfer';
    const body = { ...TRANSFER, amount: 5 };
    const named = await call({
      path,
      body,
      headers: { accept: 'text/html, Application/Problem+JSON;q=0.5', 'request-id': 'r1' },
    });
    expect(named.headers['content-type']).toBe('application/problem+json');
    expect(named.headers['error-code']).toBe('amount_out_of_range');
    expect(named.body).toMatchObject({
      type: 'urn:vuka:error:amount_out_of_range',
      status: 400,
      instance: 'r1',
      errors: [{ pointer: '#/amount' }],
    });
    for (const accept of [
      '*/*',
      'application/*',
      'application/json',
      'application/problem+json;q=0',
      'application/problem+jsonx',
    ]) {
      expectError(await call({ path, body, headers: { accept } }), 400, 'amount_out_of_range');
    }
  });
});

describe('routing', () => {
  it.each([
    ['POST', '/'],
    ['POST', '/kes'],
    ['POST', '/kes/bank-transfers'],
    ['GET', '/v1/nothing'],
    ['POST', '//bank-transfer'],
  ])('%s %s is unknown: 404', async (method, path) => {
    expectError(await call({ method, path }), 404, 'not_found');
  });

  it('answers 404 to a very long path', async () => {
    expectError(await call({ path: `/${'a'.repeat(9_000)}` }), 404, 'not_found');
    expectError(await call({ path: `/v1/status/${'a'.repeat(9_000)}` }), 404, 'not_found');
  });

  it('knows the names that are not offered yet', async () => {
    for (const path of ['/v1/onramp', '/collect', '/collect/']) {
      expect(expectError(await call({ path, headers: { 'x-api-key': '' } }), 404, 'not_found')).toMatch(
        /not offered yet/,
      );
    }
  });

  it.each([
    ['GET', '/kes/bank-transfer', 'POST'],
    ['DELETE', '/v1/status/', 'POST'],
    ['OPTIONS', '/v1/banks/ke?x=1', 'POST'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['PROPFIND', '/account/detail', 'POST'],
  ])('%s %s is the wrong method: 405 with Allow, before the key', async (method, path, allow) => {
    const answer = await call({ method, path, headers: { 'x-api-key': 'nonsense' } });
    expectError(answer, 405, 'invalid_request');
    expect(answer.headers['allow']).toBe(allow);
  });

  it('refuses paths that cannot be decoded', async () => {
    for (const path of ['/%/bank-transfer', '/%E0%A4%A/status', '/v1/status/%ff']) {
      const answer = await call({ path });
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers['request-id']).toBeDefined();
    }
  });

  it('names the supported currencies when the path names another, after the key and before the body', async () => {
    const broken = { body: '{', headers: { 'content-type': 'text/plain' } };
    expectError(await call({ path: '/usd/bank-transfer', ...broken }), 404, 'not_found');
    expectError(await call({ path: '/ghs/bank-transfer', ...broken }), 404, 'not_found');
    expect(expectError(await call({ path: '/xyz/status', body: {} }), 404, 'not_found')).toMatch(/KES.*UGX.*ETB/);
    expect(expectError(await call({ path: '/ugx/bank-transfer', body: {} }), 404, 'not_found')).toMatch(
      /KES, NGN, MWK/,
    );
    expectError(await call({ path: '/xyz/status', headers: { 'x-api-key': '' } }), 401, 'unauthorized');
  });

  it.each(['/KES/bank-transfer', '/ke/bank-transfer', '/kes/bank-transfer/', '/kes/bank-transfer?x=%zz'])(
    '%s is the KES transfer',
    async (path) => {
      expect((await call({ path, body: TRANSFER })).status).toBe(200);
    },
  );
});

describe('keys', () => {
  it.each([
    ['missing', undefined],
    ['malformed', 'Bearer x'],
    ['unknown', 'vk_test_consumer_p9_AAAAAAAAAAAAAAAAAAAAAAAA'],
    ['with a wrong secret', `${CONSUMER_KEY}A`],
    ['of the other environment', CONSUMER_KEY.replace('test', 'live')],
    ['of another kind by name only', CONSUMER_KEY.replace('consumer', 'checkout')],
  ])('a key that is %s gives the same 401', async (_, key) => {
    const headers = { 'x-api-key': key ?? '' };
    const message = expectError(
      await call({ path: '/kes/bank-transfer', body: TRANSFER, headers }),
      401,
      'unauthorized',
    );
    expect(message).toBe('The API key in the header x-api-key is missing or not valid');
  });

  it('refuses revoked and expired keys alike', async () => {
    const revoked = 'vk_test_consumer_r1_AAAAAAAAAAAAAAAAAAAAAAAA';
    const expired = 'vk_test_consumer_e1_AAAAAAAAAAAAAAAAAAAAAAAA';
    gateway.keys.set(...storedKey(revoked, 1, { revokedAt: new Date(0) }));
    gateway.keys.set(...storedKey(expired, 1, { expiresAt: new Date(0) }));
    for (const key of [revoked, expired]) {
      expectError(await call({ path: '/v1/banks', headers: { 'x-api-key': key } }), 401, 'unauthorized');
    }
  });

  it('gives 403 to a checkout key here', async () => {
    expectError(
      await call({ path: '/kes/bank-transfer', body: TRANSFER, headers: { 'x-api-key': CHECKOUT_KEY } }),
      403,
      'forbidden',
    );
  });

  it('gives 403 to a key without the scope, by its name, before limits, currencies and bodies are looked at', async () => {
    const reader = 'vk_test_consumer_s1_AAAAAAAAAAAAAAAAAAAAAAAA';
    gateway.keys.set(...storedKey(reader, 1, { scopes: ['read'] }));
    const headers = { 'x-api-key': reader };
    expect((await call({ path: '/v1/banks', headers })).status).toBe(200);
    for (const [path, scope] of [
      ['/kes/disburse', 'payouts'],
      ['/xyz/bank-transfer', 'payouts'],
      ['/v1/refund', 'refunds'],
      ['/v1/validation', 'lookups'],
      ['/v1/webhooks/endpoint', 'webhooks'],
    ]) {
      const refused = await call({ path: path!, body: '{', headers });
      expect(expectError(refused, 403, 'forbidden')).toBe(
        `This operation needs the scope ${scope!}, which this key does not have`,
      );
      expect([refused.headers['transaction-code'], refused.headers['ratelimit']]).toEqual([undefined, undefined]);
    }
    expectError(await call({ method: 'GET', path: '/kes/disburse', headers }), 405, 'invalid_request');
  });

  it('gives 403 to a key that is used from another address, and does not say which addresses are allowed', async () => {
    const [here, elsewhere] = [
      'vk_test_consumer_a1_AAAAAAAAAAAAAAAAAAAAAAAA',
      'vk_test_consumer_a2_AAAAAAAAAAAAAAAAAAAAAAAA',
    ];
    gateway.keys.set(...storedKey(here, 1, { addresses: AddressRanges.of(['127.0.0.0/8']) }));
    gateway.keys.set(...storedKey(elsewhere, 1, { addresses: AddressRanges.of(['192.0.2.0/24', '::/0']) }));
    const banks = (key: string, headers = {}): Promise<Answer> =>
      call({ path: '/v1/banks', headers: { 'x-api-key': key, ...headers } });
    expect((await banks(here)).status).toBe(200);
    expect(expectError(await banks(elsewhere), 403, 'forbidden')).toBe(
      'This key may not be used from the address that this request came from',
    );
    expectError(await banks(elsewhere, { 'x-forwarded-for': '192.0.2.1' }), 403, 'forbidden');
  });

  it('answers 401 before the body is read', async () => {
    const head =
      'POST /kes/bank-transfer HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n';
    expect(await askRaw(gateway.port, `${head}{`)).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('body', () => {
  const path = '/kes/bank-transfer';
  const json = { 'content-type': 'application/json' };

  it('takes no body as {}, whatever the content type', async () => {
    for (const type of [
      'text/plain',
      'application/json',
      'nonsense',
      '/;;',
      'multipart/form-data',
      'application/json; charset=latin1',
    ]) {
      const message = expectError(await call({ path, headers: { 'content-type': type } }), 400, 'invalid_request');
      expect(message).toMatch(/^Failed - Bad Request: amount/);
      for (const body of ['', ' \r\n\t'])
        expect((await call({ path: '/v1/banks', body, headers: { 'content-type': type } })).status).toBe(200);
    }
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'json',
    'application/json; charset=iso-8859-1',
  ])('refuses a body of type "%s": 415', async (type) => {
    expectError(
      await call({ path, body: JSON.stringify(TRANSFER), headers: { 'content-type': type } }),
      415,
      'invalid_request',
    );
  });

  it('accepts one Idempotency-Key, and no compressed body', async () => {
    const post = (...headers: string[]): string => {
      const body = JSON.stringify(TRANSFER);
      const lines = [
        'POST /kes/bank-transfer HTTP/1.1',
        'Host: x',
        'Connection: close',
        'Content-Type: application/json',
      ];
      return [...lines, `x-api-key: ${CONSUMER_KEY}`, `Content-Length: ${body.length}`, ...headers, '', body].join(
        '\r\n',
      );
    };
    expect(await askRaw(gateway.port, post('Idempotency-Key: a', 'Idempotency-Key: b'))).toMatch(
      /^HTTP\/1\.1 400 [^]*must be sent once/,
    );
    expect(await askRaw(gateway.port, post('Content-Encoding: gzip'))).toMatch(/^HTTP\/1\.1 415 /);
    // The 503 comes from the missing key store: the checks passed.
    expect(await askRaw(gateway.port, post('Idempotency-Key: a'))).toMatch(/^HTTP\/1\.1 503 /);
  });

  it('reads a body without a content type as JSON', async () => {
    expect(
      (
        await call({
          path,
          body: JSON.stringify({ ...TRANSFER, reference: 'untyped' }),
          headers: { 'content-type': '' },
        })
      ).status,
    ).toBe(200);
  });

  it('takes JSON with parameters', async () => {
    const headers = { 'content-type': 'Application/JSON; charset="utf-8"' };
    expect((await call({ path, body: JSON.stringify(TRANSFER), headers })).status).toBe(200);
  });

  it.each([
    ['an array', '[1]'],
    ['a string', '"x"'],
    ['a number', '12'],
    ['null', 'null'],
    ['half', '{"amount":'],
    ['two values', '{}{}'],
    ['one field twice', '{"amount":100,"amount":200}'],
    ['NUL', '{"reference":"a\\u0000b"}'],
    ['half a surrogate pair', '{"reference":"\\ud800"}'],
    ['NUL in a name', '{"\\u0000":1}'],
    ['deep nesting', `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
    ['bad UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['NaN', '{"amount":NaN}'],
    ['a space that is none of JSON’s', '\u00a0'],
  ])('refuses %s: 400', async (_, body) => {
    expectError(await call({ path, body, headers: json }), 400, 'invalid_request');
  });

  it('is not confused by __proto__ and constructor', async () => {
    const body = `{"__proto__":{"amount":1500},"constructor":{"prototype":{}},"account_number":"0123456789","bank_code":"01"}`;
    expect(expectError(await call({ path, body, headers: json }), 400, 'invalid_request')).toMatch(
      /amount is required/,
    );
  });

  it('reads 64 KiB and refuses more: 413', async () => {
    const fill = (size: number): string => {
      const start = JSON.stringify(TRANSFER).slice(0, -1);
      return `${start},"x":"${'y'.repeat(size - start.length - 8)}"}`;
    };
    expect(fill(65_536).length).toBe(65_536);
    expect((await call({ path, body: fill(65_536), headers: json })).status).toBe(200);
    expectError(await call({ path, body: fill(65_537), headers: json }), 413, 'invalid_request');
  });

  it.each(['1e3', '1500.001', '-1500', '99', '250001', `1${'0'.repeat(60)}`, '1500.0e0'])(
    'refuses the amount %s on its raw text',
    async (amount) => {
      const body = `{"amount":${amount},"account_number":"0123456789","bank_code":"01"}`;
      const answer = await call({ path, body, headers: json });
      expect(answer.status).toBe(400);
      expect((answer.body as { message: string }).message).toMatch(/^Failed - Bad Request: amount/);
    },
  );

  it('takes amounts digit for digit', async () => {
    for (const [amount, minor] of [
      ['1500.10', '150010'],
      ['"1500.100"', '150010'],
      ['250000.00', '25000000'],
    ]) {
      const body = `{"amount":${amount ?? ''},"account_number":"0123456789","bank_code":"01"}`;
      expect((await call({ path, body, headers: json })).status).toBe(200);
      expect(gateway.payments.calls.at(-1)?.amount_minor).toBe(minor);
    }
  });
});

describe('health and the raw edge', () => {
  it('is live and ready without a key, and not ready when draining', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      expect((await call({ method: 'GET', path, headers: { 'x-api-key': '' } })).status).toBe(200);
    }
    gateway.draining.now = true;
    const answer = await call({ method: 'GET', path: '/health/ready' });
    gateway.draining.now = false;
    expectError(answer, 503, 'service_unavailable');
    expect(answer.headers['connection']).toBe('close');
  });

  it.each([
    ['no HTTP', 'nonsense\r\n\r\n', 400],
    ['a bad header', 'POST /kes/status HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n', 400],
    ['a bad length', 'POST /kes/status HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    ['huge headers', `POST /kes/status HTTP/1.1\r\nHost: x\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`, 431],
    ['no host', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n', 200],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    [
      'an unknown expectation',
      'GET /health/live HTTP/1.1\r\nHost: x\r\nExpect: coffee\r\nConnection: close\r\n\r\n',
      200,
    ],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
  ])('answers %s as JSON with a request id', async (_, bytes, status) => {
    const text = await askRaw(gateway.port, bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
    expect(text).toMatch(/\r\nrequest-id: [A-Za-z0-9._:/=+@-]{1,128}\r\n/i);
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as { code: number };
    expect(body.code).toBe(status);
  });
});
