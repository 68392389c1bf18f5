import { connect, type Socket } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AddressRanges } from '@vuka/config';
import { ManualClock } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { AuthenticateCaller } from '../keys/authenticate-caller.js';
import type { StoredKey } from '../keys/keys.store.js';
import {
  CONSUMER_KEY,
  limitsOf,
  PEPPER,
  startTestGateway,
  storedKey,
  TRANSFER,
  type TestGateway,
} from '../testing/gateway.spec-support.js';

const WITHIN = { withinMs: 10_000 };
/** Within the request timeout, but longer than keys are cached. */
const HELD_MS = 9_000;

let clock: ManualClock;
let key: StoredKey;
let looks: number;
let fails: boolean;
let gateway: TestGateway;
let socket: Socket;
let received: string;

beforeEach(async () => {
  clock = new ManualClock(new Date());
  [, key] = storedKey(CONSUMER_KEY, 1);
  [looks, fails, received] = [0, false, ''];
  const loadKey = async (): Promise<StoredKey> => {
    looks += 1;
    if (fails) throw new Error('the database is away');
    return key;
  };
  const rates = { partner: { ratePerS: 1, burst: 50 }, failedAuth: { ratePerS: 0.01, burst: 1 } };
  gateway = await startTestGateway({
    authenticate: new AuthenticateCaller({ env: 'sandbox' }, PEPPER, clock, {
      findKey: loadKey,
      livePrefixes: async () => [],
    }),
    limits: limitsOf(rates, clock),
  });
  socket = connect(gateway.port, '127.0.0.1');
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
});

afterEach(async () => {
  socket.destroy();
  await gateway.stop();
});

/** Sends the body once the headers were accepted; gives the final response. */
async function ask(path: string, meanwhile: () => void): Promise<string> {
  const body = JSON.stringify(TRANSFER);
  const lines = [
    `POST ${path} HTTP/1.1`,
    'host: x',
    `x-api-key: ${CONSUMER_KEY}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    'expect: 100-continue',
  ];
  const before = received.length;
  const answered = (): string => received.slice(before);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await until(() => answered().includes('HTTP/1.1 100 Continue'), { ...WITHIN, what: 'the body is asked for' });
  meanwhile();
  socket.write(body);
  const answer = (): string => answered().split('HTTP/1.1 100 Continue\r\n\r\n')[1] ?? '';
  await until(() => /\r\n\r\n\{.*\}/s.test(answer()), { ...WITHIN, what: 'the answer' });
  return answer();
}

const revoke = (): void => {
  key = { ...key, revokedAt: clock.now() };
  clock.advance(HELD_MS);
};

describe('a body that comes long after its headers', () => {
  it.each(['/kes/bank-transfer', '/kes/disburse'])(
    'does not pay at %s with a key that was revoked in the meantime',
    async (path) => {
      const answer = await ask(path, revoke);
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
      expect(answer).toMatch(/\r\nwww-authenticate: x-api-key\r\n/i);
      expect(answer).toMatch(/\r\nratelimit-policy: "failed-auth";/i);
      expect(answer).toContain('The API key in the header x-api-key is missing or not valid');
      expect(answer).not.toMatch(/\r\ntransaction-code:/i);
      expect(gateway.payments.calls).toEqual([]);
    },
  );

  it('counts for its address like any invalid key', async () => {
    expect((await ask('/kes/bank-transfer', revoke)).slice(9, 12)).toBe('401');
    key = { ...key, revokedAt: null };
    clock.advance(HELD_MS);
    expect((await ask('/kes/bank-transfer', revoke)).slice(9, 12)).toBe('429');
    expect(gateway.payments.calls).toEqual([]);
  });

  it('pays with a key that is still valid, and with the current data of its partner', async () => {
    const answer = await ask('/kes/bank-transfer', () => {
      key = { ...key, webhookUrl: 'https://example.com/new' };
      clock.advance(HELD_MS);
    });
    expect([answer.slice(9, 12), looks, gateway.payments.calls[0]?.callback_url]).toEqual([
      '200',
      2,
      'https://example.com/new',
    ]);
    expect(answer).toMatch(/\r\nratelimit-policy: "partner";/i);
  });

  it('costs no second read of the database if the body comes at once', async () => {
    for (const path of ['/kes/bank-transfer', '/v1/banks'])
      expect((await ask(path, () => undefined)).slice(9, 12)).toBe('200');
    expect(looks).toBe(1);
  });

  it.each(['/v1/quote', '/v1/validation', '/v1/webhooks/endpoint', '/account/detail'])(
    'gets nothing at %s with a key that was revoked in the meantime',
    async (path) => {
      expect((await ask(path, revoke)).slice(9, 12)).toBe('401');
    },
  );

  it.each<[string, Partial<StoredKey>, string]>([
    ['its scope', { scopes: ['read'] }, 'needs the scope payouts'],
    ['its partner, which is suspended', { suspended: true }, 'suspended'],
    ['its address', { addresses: AddressRanges.of(['192.0.2.0/24']) }, 'may not be used from the address'],
  ])('does not pay with a key that lost %s in the meantime', async (_, lost, why) => {
    const answer = await ask('/kes/bank-transfer', () => {
      key = { ...key, ...lost };
      clock.advance(HELD_MS);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(answer).toContain(why);
    expect(gateway.payments.calls).toEqual([]);
  });

  it('is refused with its code if the key can no longer be read', async () => {
    const answer = await ask('/kes/bank-transfer', () => {
      fails = true;
      clock.advance(HELD_MS);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/\r\ntransaction-code: [0-9a-f-]{36}\r\n/i);
    expect(answer).toContain('this request was not accepted');
    expect(gateway.payments.calls).toEqual([]);
  });
});
