import { once } from 'node:events';
import { connect } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  atDepth,
  drawn,
  openFixture,
  FIXTURE_WITHIN_MS,
  type Answer,
  type ApiClient,
  type OutsideChecker,
  type Fixture,
  type VukaProcess,
} from '@vuka/testing';
import fc from 'fast-check';

let vuka: VukaProcess;
let one: ApiClient;
let checker: OutsideChecker;
let fixture: Fixture;

beforeAll(async () => {
  fixture = await openFixture();
  ({ vuka, one, checker } = fixture);
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

/** Fixed, so that failures repeat; `FUZZ_SEED` tries another. */
const SEEDS = [20_260_101, 20_260_102, 20_260_103];
const SEED = Number(process.env['FUZZ_SEED'] ?? drawn('random requests', SEEDS, 1)[0]);
const SHARE = atDepth({ commit: 3, whole: 1 });
const runs = (numRuns: number) => ({
  seed: SEED,
  numRuns: Math.ceil(numRuns / SHARE),
  interruptAfterTimeLimit: 25_000,
  markInterruptAsFailure: false,
});

const OPERATIONS = [
  '/kes/bank-transfer',
  '/NGN/bank-transfer',
  '/mw/bank-transfer',
  '/ugx/bank-transfer',
  '/kes/disburse',
  '/KE/disburse',
  '/ugx/disburse',
  '/sandbox/payouts/x/pay',
  '/kes/status',
  '/v1/status',
  '/v1/status/kes',
  '/account/ke/transaction',
  '/account/detail',
  '/v1/banks',
  '/v1/banks/kes',
];
const operation = fc.constantFrom(...OPERATIONS);
const JSON_TYPE = { 'content-type': 'application/json' };

/** Whatever was sent: a documented JSON answer with a Request-Id, and never a server fault. */
function expectAnswered({ status, headers, body, text }: Answer): void {
  const seen = { status, body: text.slice(0, 200) };
  expect({ ...seen, below500: status < 500 }).toEqual({ ...seen, below500: true });
  expect(headers['request-id']).toMatch(/^[A-Za-z0-9._:/=+@-]{1,128}$/);
  expect(headers['content-type']).toMatch(/^application\/(problem\+)?json/);
  if (headers['content-type']?.startsWith('application/json')) expect(body?.code).toBe(status);
  if (status === 200) expect(headers['error-code']).toBeUndefined();
  else expect(headers['error-code']).toMatch(/^[a-z_]+$/);
}

/** Values that often break parsers, databases and templates, among arbitrary ones. */
const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    0,
    -1,
    1e308,
    '1e5',
    '\u202e',
    '\ud83d\ude00',
    "'; drop table accounts;--",
    '${7*7}',
    '{{7*7}}',
    '%00',
    '../../etc/passwd',
    '__proto__',
    'constructor',
    'NaN',
    '99999999999999999999999999999999999999',
    '0'.repeat(5_000),
    'a'.repeat(10_000),
    [],
    {},
    [[]],
    true,
    { isLosslessNumber: true, value: '100' },
    { toString: 'x' },
    { valueOf: 1, length: -1 },
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.jsonValue({ maxDepth: 3 }),
  fc.double(),
  fc.bigInt().map(String),
);

const mostly = (...right: unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: nasty });

/** Almost valid bodies. The valid account always fails, so that no money is spent. */
const nearTransfer = fc.record({
  amount: mostly(100, '100.00', 250_000),
  account_number: mostly('1234560000'),
  bank_code: mostly('01', '044'),
  bank_name: mostly(undefined),
  reference: mostly(undefined),
  callback_url: mostly(undefined),
  transaction_code: mostly(undefined),
  transaction_hash: mostly(undefined),
});

/** Payouts from the wallet to a phone that always fails. */
const nearDisburse = fc.record({
  type: mostly('MOBILE', 'mobile'),
  amount: mostly(100, '100.00', 250_000),
  fee: mostly(undefined, 0, '20'),
  shortcode: mostly('0712340000', '+254712340000', '254712340000'),
  mobile_network: mostly('Safaricom', 'm-pesa', 'AIRTEL'),
  reference: mostly(undefined),
  callback_url: mostly(undefined),
});

describe(`random requests (seed ${SEED})`, () => {
  it('random bytes as bodies', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 2_000 }),
      fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
    );
    await fc.assert(
      fc.asyncProperty(
        operation,
        bytes,
        fc.constantFrom('application/json', 'text/plain', ''),
        async (path, body, type) => {
          expectAnswered(await one.send({ path, body: Buffer.from(body), headers: { 'content-type': type } }));
        },
      ),
      runs(300),
    );
  }, 40_000);

  it('right JSON bodies of wrong shapes', async () => {
    await fc.assert(
      fc.asyncProperty(
        operation,
        fc.jsonValue({ maxDepth: 6 }),
        nearTransfer,
        nearDisburse,
        fc.nat(3),
        async (path, any, transfer, disbursement, which) => {
          const body = which === 0 ? any : path.endsWith('disburse') ? disbursement : transfer;
          const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
          if (isObject && path.endsWith('bank-transfer'))
            expectAnswered(await one.bankTransfer(currencyOf(path), body as never));
          else if (isObject && path.endsWith('disburse'))
            expectAnswered(await one.disburse(currencyOf(path), body as never));
          else expectAnswered(await one.send({ path, body: JSON.stringify(body), headers: JSON_TYPE }));
        },
      ),
      runs(900),
    );
    for (const operation of ['bank-transfer', 'disburse']) {
      expect(
        one.sent.filter((payout) => payout.operation === operation && payout.outcome === 'accepted').length,
      ).toBeGreaterThan(10 / SHARE);
    }
  }, 40_000);

  it('text that is nearly JSON', async () => {
    const right = JSON.stringify({ amount: 100, account_number: '1234560000', bank_code: '01', reference: 'fuzz' });
    const damaged = fc
      .tuple(fc.nat(right.length), fc.nat(4), fc.string({ unit: 'binary', maxLength: 3 }))
      .map(([at, cut, put]) => right.slice(0, at) + put + right.slice(at + cut));
    await fc.assert(
      fc.asyncProperty(operation, damaged, async (path, body) => {
        // No transfers exist there, so a valid body must not be accepted.
        expectAnswered(await one.send({ path: path.replace('/kes/bank', '/ugx/bank'), body, headers: JSON_TYPE }));
      }),
      runs(300),
    );
  }, 40_000);

  it('random paths and methods', async () => {
    const segment = fc.oneof(
      fc.constantFrom(
        'kes',
        'v1',
        'status',
        'account',
        'banks',
        '..',
        '%2e%2e',
        '%00',
        '%',
        '%ff',
        'bank-transfer',
        ';',
        '~',
      ),
      fc.string({ maxLength: 12 }).map(encodeURIComponent),
    );
    const path = fc.array(segment, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`);
    const query = fc.oneof(
      fc.constant(''),
      fc.string({ maxLength: 30 }).map((text) => `?${encodeURIComponent(text)}`),
      fc.constantFrom('?a[]=1&a[__proto__]=2', '?%', '?='),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
        path,
        query,
        async (method, at, asked) => {
          expectAnswered(await one.send({ method, path: at + asked }));
        },
      ),
      runs(300),
    );
  }, 40_000);

  it('random headers', async () => {
    const value = fc.oneof(
      fc.constantFrom(
        '',
        '"',
        'a'.repeat(5_000),
        '*/*',
        'application/problem+json',
        '-1',
        'chunked, chunked',
        '0000',
        '00-0-0-0',
        ',,,,',
        '"\\"',
      ),
      fc.string({ maxLength: 80 }).map((text) => text.replace(/[^\x20-\x7e]/g, '~').trim()),
    );
    const names = [
      'accept',
      'accept-encoding',
      'content-type',
      'idempotency-key',
      'traceparent',
      'tracestate',
      'request-id',
      'x-api-key',
      'x-forwarded-for',
      'x-http-method-override',
      'prefer',
      'range',
      'if-match',
    ];
    await fc.assert(
      fc.asyncProperty(
        operation,
        fc.dictionary(fc.constantFrom(...names), value),
        fc.boolean(),
        async (path, headers, hasBody) => {
          const answer = await one.send({ path, headers, ...(hasBody && { body: '{}' }) });
          expectAnswered(answer);
          expect(answer.status).not.toBe(500);
        },
      ),
      runs(300),
    );
  }, 40_000);

  it('random bytes instead of HTTP', async () => {
    const { hostname, port } = new URL(vuka.baseUrl);
    const head = `POST /kes/bank-transfer HTTP/1.1\r\nHost: x\r\nx-api-key: ${vuka.partner().consumer_key}\r\n`;
    const raw = fc.oneof(
      fc
        .uint8Array({ minLength: 1, maxLength: 300 })
        .map((bytes) => Buffer.concat([Buffer.from(bytes), Buffer.from('\r\n\r\n')])),
      fc.string({ unit: 'binary', maxLength: 100 }).map((text) => Buffer.from(`${head}${text}\r\n\r\n`, 'latin1')),
      fc
        .constantFrom(
          'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc',
          'Content-Length: 9999999999999\r\n\r\n',
          'Transfer-Encoding: chunked\r\n\r\nzz\r\n',
          'Content-Length: 1\r\nContent-Length: 2\r\n\r\nab',
        )
        .map((text) => Buffer.from(head + text)),
    );
    await fc.assert(
      fc.asyncProperty(raw, async (bytes) => {
        const socket = connect(Number(port), hostname);
        const heard: Buffer[] = [];
        socket.on('data', (chunk: Buffer) => heard.push(chunk));
        socket.on('error', () => undefined);
        socket.end(bytes);
        await once(socket, 'close');
        const text = Buffer.concat(heard).toString('latin1');
        // A connection closed without an answer was not a request.
        if (text !== '') expect(text).toMatch(/^HTTP\/1\.1 [1-4]\d\d /);
        if (text.includes('\r\n\r\n') && !/^HTTP\/1\.1 1/.test(text)) expect(text).toMatch(/\r\nrequest-id: /i);
      }),
      runs(150),
    );
  }, 40_000);
});

describe('after all that', () => {
  it('the service works as before', async () => {
    const health = await fetch(`${vuka.baseUrl}/health/ready`);
    expect(health.status).toBe(200);
    expect(vuka.output()).not.toMatch(/"level":"(error|fatal)"/);
    await checker.expectSound();
  }, 240_000);
});

function currencyOf(path: string): string {
  const [, name = ''] = path.split('/');
  return ({ kes: 'KES', KE: 'KES', NGN: 'NGN', mw: 'MWK' } as Record<string, string>)[name] ?? name;
}
