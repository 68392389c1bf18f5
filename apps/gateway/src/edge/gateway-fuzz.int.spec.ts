import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { acceptedTokens, CHAINS } from '@vuka/domain';
import { atDepth } from '@vuka/testing';
import fc from 'fast-check';

import {
  ask,
  askRaw,
  CHECKOUT_KEY,
  CONSUMER_KEY,
  HASH,
  PAYOUTS,
  startTestGateway,
  TRANSFER,
  type Answer,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

/** A failing case prints its seed; VUKA_FUZZ_RUNS sets the number of runs. */
const RUNS = Number(process.env['VUKA_FUZZ_RUNS'] ?? atDepth({ commit: 50, whole: 150 }));
const TIMEOUT_MS = 120_000;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  gateway.offramp.chains = CHAINS.map((chain) => ({
    name: chain.name,
    assets: acceptedTokens(chain).map(({ symbol }) => symbol),
  }));
});

afterAll(() => gateway.stop());

const PATHS = [
  '/kes/bank-transfer',
  '/ngn/bank-transfer',
  '/kes/disburse',
  '/kes/status',
  '/v1/status',
  '/account/ke/transaction',
  '/account/detail',
  '/v1/banks',
  '/sandbox/payouts/x/release',
  '/v1/pay',
  '/v1/pay/ugx',
  '/v1/quote',
  '/v1/quote/cdf',
  '/v1/checkout/status',
  '/v1/webhooks/endpoint',
  '/v1/exchange-rate',
  '/v2/exchange-rate',
  '/account/exchange-rate',
];

function expectEnvelope({ status, headers, body }: Answer): void {
  const { code, message } = body as { code: unknown; message: unknown };
  expect(status).toBeLessThan(500);
  expect(code).toBe(status);
  expect(typeof message).toBe('string');
  expect(headers['request-id']).toMatch(/^[A-Za-z0-9._:/=+@-]{1,128}$/);
  expect(headers['content-type']).toMatch(/^application\/(problem\+)?json/);
  if (status === 200) expect(headers['error-code']).toBeUndefined();
  else expect(headers['error-code']).toMatch(/^[a-z_]+$/);
}

const evilText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    'a\u0000b',
    '__proto__',
    '1e5',
    '-1',
    'NaN',
    "' or 1=1 --",
    '٣٤٥',
    '\u202e',
    'x'.repeat(3_000),
  ),
);
const evilNumber = fc.oneof(
  fc.double(),
  fc.bigInt().map(Number),
  fc.constantFrom(1e308, -0, 0.1 + 0.2, Number.MAX_SAFE_INTEGER, 5e-324),
);
const evilValue = fc.oneof(
  evilText,
  evilNumber,
  fc.boolean(),
  fc.constant(null),
  fc.anything({ maxDepth: 3, withNullPrototype: false, withBigInt: false }),
);
const fieldName = fc.oneof(
  fc.constantFrom(
    'amount',
    'account_number',
    'bank_code',
    'bank_name',
    'callback_url',
    'reference',
    'transaction_code',
    'transaction_hash',
  ),
  fc.constantFrom('type', 'shortcode', 'mobile_network', 'fee', 'account_name', 'network', 'order_id', 'url'),
  fc.constantFrom(
    'chain',
    'asset',
    'quote_id',
    'refund_address',
    'currency',
    'currency_code',
    'buying_rate',
    'selling_rate',
    'to',
    'from',
  ),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'isLosslessNumber', ''),
  evilText,
);

/** JSON that no object gives: raw numbers, duplicate names, half surrogate pairs. */
const evilJson = fc
  .array(fc.tuple(fieldName, evilValue), { maxLength: 8 })
  .map(
    (members) =>
      `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`).join(',')}}`,
  );

/** A valid transfer with some bad members reaches deeper than noise. */
const spoiltTransfer = fc
  .dictionary(fieldName, evilValue, { maxKeys: 2 })
  .map((spoilt) => JSON.stringify({ ...TRANSFER, ...spoilt }));

const spoiltPayout = fc
  .tuple(fc.constantFrom(...PAYOUTS), fc.dictionary(fieldName, evilValue, { maxKeys: 2 }))
  .map(([payout, spoilt]) => JSON.stringify({ ...payout, ...spoilt }));

/** Mostly valid: one hash in many spellings, so that it is already claimed. */
const spoiltPay = fc
  .record({
    payout: fc.constantFrom(...PAYOUTS),
    chain: fc.constantFrom(undefined, ...CHAINS.flatMap(({ name, aliases }) => [name, name.toLowerCase(), ...aliases])),
    transaction_hash: fc.constantFrom(HASH, HASH.slice(2), HASH.toUpperCase(), '5'.repeat(88), 'c4'.repeat(32)),
    asset: fc.constantFrom(undefined, 'USDC', 'USDT', 'USDM', 'usdc'),
    spoilt: fc.dictionary(fieldName, evilValue, { maxKeys: 2 }),
  })
  .map(({ payout, spoilt, ...deposit }) => JSON.stringify({ ...payout, ...deposit, ...spoilt }));

const spoiltQuery = fc.oneof(
  fc
    .tuple(
      fc.array(fc.tuple(fieldName, evilText), { maxLength: 4 }),
      fc.constantFrom('KES', 'ugx', 'CDF'),
      fc.constantFrom('CELO', 'base', 'STELLAR'),
    )
    .map(([spoilt, currency_code, network]) =>
      new URLSearchParams([
        ...Object.entries({ network, asset: 'USDC', currency_code, amount: '1500', order_id: 'a' }),
        ...spoilt,
      ]).toString(),
    ),
  fc.dictionary(fieldName, evilText).map((fields) => new URLSearchParams(fields).toString()),
  fc.string({
    unit: fc.constantFrom('%', '&', '=', '?', '+', 'a', '0', 'amount', 'network', '%00', '%zz', '%ed%a0%80', '[]'),
    maxLength: 60,
  }),
);

describe('whatever is sent', () => {
  it(
    'as a query, the answer is an envelope and no 5xx',
    async () => {
      const headers = { 'x-api-key': CHECKOUT_KEY };
      await fc.assert(
        fc.asyncProperty(spoiltQuery, async (query) => {
          expectEnvelope(await ask(gateway.port, { path: `/v1/checkout/?${query.slice(0, 8_000)}`, headers }));
        }),
        { numRuns: RUNS * 2 },
      );
    },
    TIMEOUT_MS,
  );

  it(
    'as a body, the answer is an envelope and no 5xx',
    async () => {
      const body = fc.oneof(
        evilJson.map((text) => Buffer.from(text)),
        spoiltTransfer.map((text) => Buffer.from(text)),
        spoiltPayout.map((text) => Buffer.from(text)),
        spoiltPay.map((text) => Buffer.from(text)),
        fc.json({ maxDepth: 40 }).map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
        fc.integer({ min: 1, max: 30_000 }).map((depth) => Buffer.from('['.repeat(depth))),
        fc.integer({ min: 1, max: 10_000 }).map((depth) => Buffer.from('{"a":'.repeat(depth))),
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...PATHS), body, async (path, bytes) => {
          expectEnvelope(
            await ask(gateway.port, { path, body: bytes, headers: { 'content-type': 'application/json' } }),
          );
        }),
        { numRuns: RUNS * 4 },
      );
    },
    TIMEOUT_MS,
  );

  it.each([
    ['/kes/bank-transfer', spoiltTransfer],
    ['/kes/disburse', spoiltPayout],
    ['/v1/pay', spoiltPay],
    ['/v1/quote', spoiltPay],
  ])(
    'as a body of good shape to %s, the answer is an envelope and no 5xx',
    async (path, body) => {
      await fc.assert(
        fc.asyncProperty(body, async (text) => {
          const answer = await ask(gateway.port, { path, body: text, headers: { 'content-type': 'application/json' } });
          expectEnvelope(answer);
          if (answer.status === 200 && path !== '/v1/quote')
            expect(answer.headers['transaction-code']).toMatch(/^[A-Za-z0-9._:-]{1,100}$/);
        }),
        { numRuns: RUNS * 2 },
      );
    },
    TIMEOUT_MS,
  );

  it(
    'as a header, the answer is an envelope and no 5xx',
    async () => {
      const name = fc.constantFrom(
        'content-type',
        'accept',
        'request-id',
        'traceparent',
        'expect',
        'x-api-key',
        'x-forwarded-for',
        'cookie',
        'accept-version',
      );
      const value = fc.oneof(
        fc.string({ maxLength: 200 }),
        fc
          .array(
            fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f),
            { maxLength: 60 },
          )
          .map((codes) => String.fromCharCode(...codes)),
        fc.constantFrom(
          'application/problem+json',
          '*/*',
          'application/json; charset=utf-99',
          '100-continue',
          '/',
          ';',
          CONSUMER_KEY,
        ),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...PATHS),
          fc.dictionary(name, value, { maxKeys: 4 }),
          async (path, headers) => {
            const answer = await ask(gateway.port, { path, body: JSON.stringify(TRANSFER), headers });
            if (headers['accept']?.includes('problem') === true && answer.status !== 200)
              expect(answer.status).toBeLessThan(500);
            else expectEnvelope(answer);
          },
        ),
        { numRuns: RUNS },
      );
    },
    TIMEOUT_MS,
  );

  it(
    'as a path or a method, the answer is an envelope and no 5xx',
    async () => {
      const segment = fc.oneof(
        fc.constantFrom(
          'kes',
          'v1',
          'status',
          'banks',
          'account',
          '',
          '..',
          '.',
          '%2e%2e',
          '%',
          '%zz',
          '%00',
          '%2F',
          '%ff',
          ':currency',
          '*',
        ),
        fc.string({
          unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
          maxLength: 20,
        }),
        fc
          .string({ unit: 'binary', maxLength: 10 })
          .map((text) => encodeURIComponent(Buffer.from(text).toString('utf8'))),
      );
      const path = fc
        .tuple(
          fc.array(segment, { maxLength: 5 }),
          fc.string({ unit: fc.constantFrom('?', '&', '=', '%', 'a', '#', ';') }),
        )
        .map(([segments, query]) => `/${segments.join('/')}${query}`);
      const method = fc.constantFrom(
        'POST',
        'GET',
        'PUT',
        'DELETE',
        'OPTIONS',
        'PATCH',
        'TRACE',
        'PROPFIND',
        'M-SEARCH',
        'PURGE',
        'LINK',
        'LOCK',
      );
      await fc.assert(
        fc.asyncProperty(method, path, async (verb, target) => {
          expectEnvelope(await ask(gateway.port, { method: verb, path: target }));
        }),
        { numRuns: RUNS * 2 },
      );
    },
    TIMEOUT_MS,
  );

  it(
    'as raw bytes, what comes back is JSON with a request id, or nothing',
    async () => {
      const head = `POST /kes/bank-transfer HTTP/1.1\r\nHost: x\r\nx-api-key: ${CONSUMER_KEY}\r\n`;
      const line = fc.constantFrom(
        'Content-Length: 5\r\nContent-Length: 6\r\n',
        'Transfer-Encoding: chunked\r\n',
        'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n',
        'Transfer-Encoding: gzip\r\n',
        'Content-Length: 99999999999999999999\r\n',
        'Content-Length: 0\r\n',
        'Connection: upgrade\r\nUpgrade: h2c\r\n',
        'Expect: 100-continue\r\nContent-Length: 2\r\n',
        'X: \u0001\r\n',
        '',
      );
      const noise = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            noise,
            fc.tuple(line, noise).map(([extra, rest]) => `${head}${extra}\r\n${rest}`),
          ),
          async (text) => {
            const answer = await askRaw(gateway.port, Buffer.from(text, 'latin1'));
            if (answer === '') return;
            const final = answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
            expect(final).toMatch(/^HTTP\/1\.1 [234]\d\d /);
            expect(final).toMatch(/\r\nrequest-id: [A-Za-z0-9._:/=+@-]{1,128}\r\n/i);
            expect(final).toContain('{"code":');
          },
        ),
        { numRuns: RUNS },
      );
    },
    TIMEOUT_MS,
  );
});
