import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ResolvedName } from '@vuka/contracts';
import { fail, ok } from '@vuka/domain';
import { DeadlineExceededError, ServiceUnavailableError } from '@vuka/runtime';

import {
  ask,
  CHECKOUT_KEY,
  expectError,
  limitsOf,
  NamesStub,
  startTestGateway,
  type Answer,
  type Ask,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});

afterEach(() => {
  gateway.names.answer = new NamesStub().answer;
});

afterAll(() => gateway.stop());

const PHONE = { type: 'MOBILE', shortcode: '0712345678', mobile_network: 'Safaricom' } as const;
const call = (request: Partial<Ask>): Promise<Answer> => ask(gateway.port, { path: '/v1/validation', ...request });
const validate = (body: object, currency?: string): Promise<Answer> =>
  call({ body, path: currency === undefined ? '/v1/validation' : `/v1/validation/${currency}` });
const messageOf = ({ body }: Answer): string => (body as { message: string }).message;
const dataOf = ({ body }: Answer): Record<string, unknown> => (body as { data: Record<string, unknown> }).data;

function tells(answer: Partial<ResolvedName>): void {
  gateway.names.answer = async () =>
    ok({ status: 'COMPLETE', verified: true, name: 'TEST 5678', name_match: null, ...answer });
}

describe('the shape of an answer', () => {
  it.each([
    [
      PHONE,
      { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' },
      { shortcode: '0712345678', mobile_network: 'Safaricom' },
    ],
    [
      { type: 'till', shortcode: '54321' },
      { kind: 'till', shortcode: '54321' },
      { shortcode: '54321', mobile_network: '' },
    ],
    [
      { type: 'PAYBILL', shortcode: '888880' },
      { kind: 'paybill', shortcode: '888880' },
      { shortcode: '888880', mobile_network: '' },
    ],
  ])('%j', async (body, destination, own) => {
    const answer = await validate(body);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      code: 200,
      message: expect.stringMatching(/^The name of this /),
      data: { status: 'COMPLETE', public_name: 'TEST 5678', verified: true, ...own },
    });
    expect(gateway.names.calls.at(-1)).toEqual({ partner_id: 1, currency: 'KES', destination, account_name: null });
  });

  it('of a bank account, by whatever code of the bank', async () => {
    const data = {
      status: 'COMPLETE',
      account_name: 'TEST 5678',
      account_number: '0123456789',
      bank_name: 'Access Bank',
      bank_code: '044',
      verified: true,
    };
    const answer = await validate({ account_number: '0123456789', bank_code: '000014' }, 'NGN');
    expect(answer.body).toEqual({ code: 200, message: 'The name of this bank account is known', data });
    expect(gateway.names.calls.at(-1)).toMatchObject({
      currency: 'NGN',
      destination: { kind: 'bank', account_number: '0123456789', bank_code: '044' },
    });
  });

  it('has name_match only where a name was sent', async () => {
    tells({ name_match: 'partial' });
    const answer = await validate({ ...PHONE, account_name: 'Test Somebody' });
    expect(dataOf(answer)['name_match']).toBe('partial');
    expect(messageOf(answer)).toMatch(/only some of the words/);
    expect(gateway.names.calls.at(-1)?.account_name).toBe('Test Somebody');
    for (const nothing of ['', null]) {
      tells({});
      const without = await validate({ ...PHONE, account_name: nothing });
      expect(Object.keys(dataOf(without))).toEqual([
        'status',
        'shortcode',
        'public_name',
        'mobile_network',
        'verified',
      ]);
      expect(gateway.names.calls.at(-1)?.account_name).toBeNull();
    }
  });

  it('never has null or a placeholder for an unknown name', async () => {
    tells({ status: 'FAILED', verified: false, name: '' });
    const gone = await validate(PHONE);
    expect([gone.status, dataOf(gone)]).toEqual([
      200,
      { status: 'FAILED', shortcode: '0712345678', public_name: '', mobile_network: 'Safaricom', verified: false },
    ]);
    expect(messageOf(gone)).toBe('There is no such mobile money account');
    tells({ verified: false, name: '', name_match: 'none' });
    const nameless = await validate({ ...PHONE, account_name: 'Mary' });
    expect(dataOf(nameless)).toMatchObject({
      status: 'COMPLETE',
      public_name: '',
      verified: false,
      name_match: 'none',
    });
    expect(messageOf(nameless)).toMatch(/is not known$/);
  });
});

describe('a number whose range was given to another network', () => {
  const HINT = /looks like one of Safaricom, which is only a hint/;

  it('is still looked up, and the message says so', async () => {
    const answer = await validate({ ...PHONE, mobile_network: 'Airtel' });
    expect(dataOf(answer)).toMatchObject({ status: 'COMPLETE', mobile_network: 'Airtel' });
    expect(messageOf(answer)).toMatch(HINT);
    tells({ status: 'FAILED', verified: false, name: '' });
    expect(messageOf(await validate({ ...PHONE, mobile_network: 'Airtel' }))).toMatch(HINT);
  });

  it('is told by what a provider predicts, before the range', async () => {
    const unknown = { verified: false, name: '' };
    tells({ ...unknown, likely_network: 'Airtel' });
    expect(messageOf(await validate({ ...PHONE, mobile_network: 'Airtel' }))).not.toMatch(/hint/);
    expect(messageOf(await validate(PHONE))).toMatch(/looks like one of Airtel, which is only a hint/);
    tells({ ...unknown, likely_network: 'Safaricom' });
    expect(messageOf(await validate(PHONE))).not.toMatch(/hint/);
    expect(dataOf(await validate(PHONE))).not.toHaveProperty('likely_network');
  });

  it('is silent if the range fits or says nothing', async () => {
    expect(messageOf(await validate(PHONE))).not.toMatch(/hint/);
    expect(messageOf(await validate({ ...PHONE, shortcode: '0770000000' }))).not.toMatch(/hint/);
    expect(messageOf(await validate({ shortcode: '0911234567', mobile_network: 'Cbe Birr' }, 'etb'))).not.toMatch(
      /hint/,
    );
  });
});

describe('the path', () => {
  it.each(['/v1/validation/', '/v1/validation/KES', '/v1/validation/ke', '/v1/validation/kEs/'])(
    '%s has the rules of KES',
    async (path) => {
      expect((await call({ path, body: { type: 'TILL', shortcode: '54321' } })).status).toBe(200);
    },
  );

  it('names a currency or country we have, and takes POST alone', async () => {
    expect(expectError(await validate(PHONE, 'USD'), 404, 'not_found')).toMatch(/KES \(KE\)/);
    const wrong = await call({ method: 'GET' });
    expectError(wrong, 405, 'invalid_request');
    expect(wrong.headers['allow']).toBe('POST');
  });

  it('opens with a consumer key alone', async () => {
    expectError(await call({ headers: { 'x-api-key': CHECKOUT_KEY }, body: PHONE }), 403, 'forbidden');
    expectError(await call({ headers: { 'x-api-key': 'vk_test_consumer_p1_x' }, body: PHONE }), 401, 'unauthorized');
  });
});

describe('what is refused', () => {
  it.each<[object, string, RegExp]>([
    [{}, 'invalid_request', /^type /],
    [{ type: 'MOBILE' }, 'invalid_request', /^shortcode /],
    [{ type: 'MOBILE', shortcode: '0712345678' }, 'invalid_request', /^mobile_network /],
    [{ ...PHONE, mobile_network: 'MTN' }, 'unsupported_network', /^mobile_network .*Safaricom, Airtel/],
    [{ ...PHONE, shortcode: '12' }, 'invalid_request', /^shortcode /],
    [{ type: 'PAYBILL', shortcode: 'x' }, 'invalid_request', /^shortcode /],
    [{ ...PHONE, account_name: 'x'.repeat(201) }, 'invalid_request', /^account_name /],
    [{ ...PHONE, account_name: 7 }, 'invalid_request', /^account_name /],
  ])('%j', async (body, code, message) => {
    const calls = gateway.names.calls.length;
    expect(expectError(await validate(body), 400, code)).toMatch(message);
    expect(gateway.names.calls.length).toBe(calls);
  });

  it('with all faults at once, for callers that ask for problem+json', async () => {
    const answer = await call({
      body: { type: 'MOBILE', shortcode: 'x', mobile_network: 'y', account_name: 7 },
      headers: { accept: 'application/problem+json' },
    });
    expect(answer.body).toMatchObject({
      status: 400,
      errors: [{ pointer: '#/shortcode' }, { pointer: '#/mobile_network' }, { pointer: '#/account_name' }],
    });
  });

  it('too often: 429, and when to come back', async () => {
    gateway.names.answer = async () =>
      fail({
        code: 'rate_limited',
        message: 'Too many lookups of this destination. Ask again in 10 s',
        retryAfterS: 10,
      });
    const answer = await validate(PHONE);
    expectError(answer, 429, 'rate_limited');
    expect(answer.headers['retry-after']).toBe('10');
  });

  it('too often: 429, with the limit that refused and not another one', async () => {
    const limited = await startTestGateway({ limits: limitsOf({ lookups: { ratePerS: 5, burst: 50 } }) });
    const limit = { name: 'destination', ratePerS: 2, burst: 61 };
    const headersOf = async (): Promise<unknown[]> => {
      const { status, headers } = await ask(limited.port, { path: '/v1/validation', body: PHONE });
      return [status, headers['ratelimit-policy'], headers['ratelimit'], headers['retry-after']];
    };
    try {
      expect(await headersOf()).toEqual([200, '"lookups";q=50;w=10', '"lookups";r=49;t=1', undefined]);
      limited.names.answer = async () =>
        fail({ code: 'rate_limited', message: 'Too many lookups of this destination', retryAfterS: 3, limit });
      expect(await headersOf()).toEqual([429, '"destination";q=61;w=31', '"destination";r=0;t=3', '3']);
    } finally {
      await limited.stop();
    }
  });
});

describe('when nobody answers', () => {
  it('says what validation says of its providers', async () => {
    gateway.names.answer = async () => fail({ code: 'service_unavailable', message: 'Nothing is known of its owner' });
    expect(expectError(await validate(PHONE), 503, 'service_unavailable')).toBe('Nothing is known of its owner');
  });

  it.each([
    new ServiceUnavailableError('validation', 'down'),
    new DeadlineExceededError('validation', 'resolveName'),
    new TypeError('a bug'),
  ])('answers 503 and never guesses: %p', async (error) => {
    gateway.names.answer = () => Promise.reject(error);
    expect(expectError(await validate(PHONE), 503, 'service_unavailable')).toMatch(
      /Nothing is known of this destination/,
    );
  });
});
