import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceUnavailableError } from '@vuka/runtime';

import {
  ask,
  askRaw,
  expectError,
  startTestGateway,
  type Answer,
  type Ask,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

const TOKEN = 'a1'.repeat(32);
const ATTEMPT = 'c3'.repeat(32);
const PATH = `/callbacks/pawapay/${TOKEN}`;
const LIMIT_BYTES = 65_536;

let gateway: TestGateway;

beforeEach(async () => {
  gateway = await startTestGateway();
  gateway.payments.callbackPaths.add(`pawapay/${TOKEN}`);
});

afterEach(() => gateway.stop());

/** Without a key. */
const call = (request: Ask): Promise<Answer> =>
  ask(gateway.port, { ...request, headers: { 'x-api-key': '', ...request.headers } });

const NOBODYS = 'Unknown operation: nothing is offered at this path';

describe('a callback', () => {
  it.each(['POST', 'PUT'])('by %s is passed on as it was sent, and answered as payments says', async (method) => {
    const body = Buffer.from([0x7b, 0x22, 0x00, 0xff, 0xfe, 0x22, 0x7d, 0x0a]);
    const headers = { 'Content-Type': 'text/html; charset=latin1', 'Signature-Input': 'sig-pp=("@method");created=1' };
    const answer = await call({ method, path: `${PATH}?a=%41&b`, body, headers });
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([
      200,
      '{"taken":true}',
      'application/json',
    ]);
    const [taken] = gateway.payments.calledBack;
    expect(taken).toMatchObject({
      provider: 'pawapay',
      token: TOKEN,
      attempt_token: null,
      method,
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      path: `${PATH}?a=%41&b`,
      body: body.toString('base64'),
    });
    expect(taken?.headers).toContainEqual(['Content-Type', 'text/html; charset=latin1']);
    expect(taken?.headers).toContainEqual(['Signature-Input', 'sig-pp=("@method");created=1']);
  });

  it('names its attempt by the path', async () => {
    expect((await call({ path: `${PATH}/${ATTEMPT}`, body: '{}' })).status).toBe(200);
    expect(gateway.payments.calledBack[0]?.attempt_token).toBe(ATTEMPT);
  });

  it('may be empty, and of 64 KiB, and no longer', async () => {
    expect((await call({ path: PATH })).status).toBe(200);
    const longest = Buffer.alloc(LIMIT_BYTES, 0x80);
    expect((await call({ path: PATH, body: longest })).status).toBe(200);
    expect(gateway.payments.calledBack.map(({ body }) => Buffer.from(body, 'base64').length)).toEqual([0, LIMIT_BYTES]);
    expectError(await call({ path: PATH, body: Buffer.alloc(LIMIT_BYTES + 1) }), 413, 'invalid_request');
    expect(gateway.payments.calledBack.length).toBe(2);
  });

  it('at another path is a 404 that tells nothing of what is wrong with it', async () => {
    const wrong = [
      `/callbacks/pawapay/${'b2'.repeat(32)}`,
      `/callbacks/other/${TOKEN}`,
      '/callbacks/pawapay/cmd',
      `/callbacks/pawapay/${TOKEN.toUpperCase()}`,
      `${PATH}/cmd`,
      `/callbacks/%00/${TOKEN}`,
      `/callbacks/${'x'.repeat(3_000)}/${TOKEN}`,
      `${PATH}/${ATTEMPT}/more`,
    ];
    for (const path of wrong) {
      for (const method of ['POST', 'PUT'])
        expect([path, expectError(await call({ method, path, body: '{}' }), 404, 'not_found')]).toEqual([
          path,
          NOBODYS,
        ]);
    }
    expect(gateway.payments.calledBack).toEqual([]);
    const read = await call({ method: 'GET', path: PATH });
    expect([read.status, read.headers.allow]).toEqual([405, 'POST, PUT']);
  });

  it('is a 503 where it is not stored, also when payments is late: sooner than a partner would be told', async () => {
    gateway.payments.before = () => Promise.reject(new ServiceUnavailableError('payments', 'down'));
    expect(expectError(await call({ path: PATH, body: '{}' }), 503, 'service_unavailable')).toMatch(/Send it again/);
    let release = (): void => undefined;
    gateway.payments.before = () => new Promise((resolve) => (release = resolve));
    const from = performance.now();
    const late = await call({ path: PATH, body: '{}' });
    release();
    expectError(late, 503, 'service_unavailable');
    expect(performance.now() - from).toBeLessThan(2_000);
    expect(late.headers['retry-after']).toBe('5');
  });

  it('needs a Host, once, and no key', async () => {
    const twice = await askRaw(
      gateway.port,
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(twice).toMatch(/^HTTP\/1\.1 400 /);
    const none = await askRaw(gateway.port, `POST ${PATH} HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    expect(none).toMatch(/^HTTP\/1\.1 200 /);
    expect(gateway.payments.calledBack[0]?.host).toBe('');
  });

  it('is no operation of partners: /openapi.json does not name it', async () => {
    const { text } = await call({ method: 'GET', path: '/openapi.json' });
    expect(text).not.toContain('/callbacks');
  });
});
