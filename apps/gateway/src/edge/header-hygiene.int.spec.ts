import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallContext } from '@vuka/contracts';
import { fail } from '@vuka/domain';

import {
  ask,
  askRaw,
  CHECKOUT_KEY,
  CONSUMER_KEY,
  startTestGateway,
  stubServices,
  PaymentsStub,
  TRANSFER,
  type Answer,
  type Ask,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

let gateway: TestGateway;
const traced: CallContext[] = [];

beforeAll(async () => {
  const services = stubServices(new PaymentsStub());
  gateway = await startTestGateway({
    payments: {
      ...services.payments,
      getTransaction: async (_input, context) => {
        traced.push(context);
        return fail({ code: 'not_found', message: 'No such transaction' });
      },
    },
  });
});

afterAll(() => gateway.stop());

const call = (request: Ask): Promise<Answer> => ask(gateway.port, request);

function post(lines: readonly string[], body = JSON.stringify(TRANSFER), path = '/kes/bank-transfer'): Promise<string> {
  return askRaw(
    gateway.port,
    [
      `POST ${path} HTTP/1.1`,
      'Connection: close',
      `Content-Length: ${String(Buffer.byteLength(body))}`,
      ...lines,
      '',
      body,
    ].join('\r\n'),
  );
}

const HOST = 'Host: x';
const KEY = `x-api-key: ${CONSUMER_KEY}`;
const JSON_TYPE = 'Content-Type: application/json';

describe('every answer', () => {
  it.each<[number, Ask]>([
    [200, { path: '/v1/banks' }],
    [200, { method: 'GET', path: '/health/live' }],
    [400, { path: '/kes/bank-transfer', body: {} }],
    [401, { path: '/v1/banks', headers: { 'x-api-key': '' } }],
    [403, { path: '/v1/banks', headers: { 'x-api-key': CHECKOUT_KEY } }],
    [404, { path: '/v1/nothing' }],
    [405, { method: 'GET', path: '/v1/banks' }],
    [413, { path: '/v1/banks', body: 'x'.repeat(70_000) }],
    [415, { path: '/v1/banks', body: 'x', headers: { 'content-type': 'text/plain' } }],
  ])('of %i is never cached, never sniffed, and does not reveal its software', async (status, request) => {
    const { status: given, headers } = await call(request);
    expect(given).toBe(status);
    expect([headers['cache-control'], headers['x-content-type-options']]).toEqual(['no-store', 'nosniff']);
    expect([headers['server'], headers['x-powered-by'], headers['etag'], headers['set-cookie']]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is so also where Node’s parser refuses the request', async () => {
    expect(await askRaw(gateway.port, 'nonsense\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [^]*\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n[^]*\r\n\r\n\{"code":400/,
    );
  });
});

describe('a header sent twice', () => {
  it('x-api-key: 401, whichever of the two opens', async () => {
    for (const other of [KEY, 'x-api-key: wrong', 'x-api-key:', `X-API-KEY: ${CHECKOUT_KEY}`]) {
      expect(await post([HOST, JSON_TYPE, KEY, other])).toMatch(/^HTTP\/1\.1 401 /);
      expect(await post([HOST, JSON_TYPE, other, KEY])).toMatch(/^HTTP\/1\.1 401 /);
    }
  });

  it('Content-Type: 400 where there is a body, also where both say the same', async () => {
    for (const other of [JSON_TYPE, 'content-type: text/plain', 'Content-Type:']) {
      expect(await post([HOST, KEY, JSON_TYPE, other])).toMatch(
        /^HTTP\/1\.1 400 [^]*The header Content-Type must be sent once/,
      );
    }
    expect(await post([HOST, KEY, JSON_TYPE, 'content-type: text/plain'], '', '/v1/banks')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('Host: 400', async () => {
    expect(await post([HOST, 'host: y', KEY, JSON_TYPE])).toMatch(
      /^HTTP\/1\.1 400 [^]*\r\nerror-code: invalid_request\r\n[^]*The header Host must be sent once/,
    );
  });

  it.each([
    ['lengths that contradict', ['Content-Length: 3']],
    ['a length and chunks', ['Transfer-Encoding: chunked']],
  ])('%s: 400', async (_, lines) => {
    expect(await post([HOST, KEY, JSON_TYPE, ...lines])).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('Request-Id: a new one', async () => {
    expect(await post([HOST, 'Request-Id: one', 'Request-Id: two'])).toMatch(/\r\nrequest-id: [0-9a-f-]{36}\r\n/);
  });
});

describe('headers that are echoed or passed on', () => {
  it('are safe: what might break a line or a log is replaced', async () => {
    for (const odd of ['a\tb', 'a;b', '"a"', 'a%0d%0aset-cookie:x', '{"a":1}', '\u00e9', `${'a'.repeat(129)}`]) {
      const answer = await call({ path: '/v1/nothing', headers: { 'request-id': odd } });
      expect(answer.headers['request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  const TRACE = '0af7651916cd43dd8448eb211c80319c';
  const status = { path: '/v1/status', body: { transaction_code: 'x' } };

  it('carry a trace on, with a span of our own', async () => {
    await call({ ...status, headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` } });
    expect(traced.at(-1)?.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
  });

  it.each([
    'nonsense',
    `00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${TRACE}-b7ad6b7169203331-01-more`,
    `00-${TRACE}-b7ad6b7169203331-01, 00-${TRACE}-b7ad6b7169203331-01`,
    `ff-${TRACE}-b7ad6b7169203331-01`,
  ])('begin a new trace for %s', async (traceparent) => {
    expect((await call({ ...status, headers: { traceparent } })).status).toBe(404);
    const { traceparent: given } = traced.at(-1) as CallContext;
    expect(given).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(given).not.toContain(TRACE);
  });
});

describe('Expect: 100-continue', () => {
  const EXPECT = 'Expect: 100-continue';
  const CONTINUE = /^HTTP\/1\.1 100 Continue\r\n\r\n/;
  /** Waits for 100-continue, and so sends no body. */
  const wait = (path: string, ...lines: string[]): Promise<string> =>
    askRaw(
      gateway.port,
      [`POST ${path} HTTP/1.1`, HOST, 'Content-Length: 60000', EXPECT, JSON_TYPE, ...lines, '', ''].join('\r\n'),
    );

  it('asks for the body only from a caller who may send one', async () => {
    const answer = await post([HOST, KEY, JSON_TYPE, EXPECT]);
    expect(answer).toMatch(CONTINUE);
    expect(answer.replace(CONTINUE, '')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each<[number, string, string[]]>([
    [401, '/kes/bank-transfer', ['x-api-key: wrong']],
    [403, '/v1/banks', [`x-api-key: ${CHECKOUT_KEY}`]],
    [404, '/xyz/status', [KEY]],
    [404, '/v1/nothing', [KEY]],
    [405, '/health/live', []],
    [400, '/v1/banks', [KEY, 'Host: y']],
  ])('is answered by %i at once if no body is wanted, and the connection ends', async (status, path, lines) => {
    const answer = await wait(path, ...lines);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  });
});
