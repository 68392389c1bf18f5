import { request as httpRequest, Agent } from 'node:http';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSettings } from '@vuka/config';
import { CURRENCIES } from '@vuka/domain';
import { newCallContext } from '@vuka/http';
import type { Database } from '@vuka/persistence';
import { DeadlineExceededError, ManualClock, ServiceUnavailableError } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { IdempotencyStore } from '../idempotency/idempotency.store.js';
import { startGateway, type GatewayService } from '../start-gateway.js';
import { DETACHED } from './events.spec-support.js';
import { startTestDatabase, type TestDatabase } from './gateway-database.spec-support.js';
import {
  ask,
  CHECKOUT_KEY,
  CONSUMER_KEY,
  OTHER_CONSUMER_KEY,
  PAYOUTS,
  PaymentsStub,
  PEPPER,
  silentLog,
  stubServices,
  TRANSFER,
  type Answer,
} from './gateway.spec-support.js';

const PARTNER = { name: 'One', email: 'one@example.com', consumer_key: CONSUMER_KEY, checkout_key: CHECKOUT_KEY };
const OTHER = {
  name: 'Two',
  email: 'two@example.com',
  consumer_key: OTHER_CONSUMER_KEY,
  checkout_key: 'vk_test_checkout_p2_DDDDDDDDDDDDDDDDDDDDDDDD',
};

let database: TestDatabase;
let db: Database;
let gateway: GatewayService;
let payments: PaymentsStub;
let clock: ManualClock;
let wakeSweep = (): unknown => undefined;

function start(env: Record<string, string> = {}): Promise<GatewayService> {
  return startGateway({
    ...DETACHED,
    settings: loadSettings({ PORT: '0', ...env }),
    database: database.config,
    ...stubServices(payments),
    currencies: CURRENCIES,
    jobs: {
      every: (_queue, wake) => {
        wakeSweep = () => wake('tick');
      },
    },
    clock,
    log: silentLog,
    secrets: { keyPepper: PEPPER },
    readiness: async () => ({ ready: true, checks: {} }),
  });
}

beforeAll(async () => {
  database = await startTestDatabase();
  payments = new PaymentsStub();
  clock = new ManualClock(new Date());
  gateway = await start();
  db = await database.connect();
  await gateway.start();
  for (const partner of [PARTNER, OTHER]) await gateway.handlers.ensureSandboxPartner(partner, newCallContext());
}, 60_000);

afterAll(async () => {
  await gateway.stop();
  await database.stop();
}, 30_000);

const port = (): number => Number(new URL(gateway.baseUrl).port);

function transfer(key: string | null, body: object = TRANSFER, headers: Record<string, string> = {}): Promise<Answer> {
  const sent = key === null ? headers : { 'idempotency-key': key, ...headers };
  return ask(port(), { path: '/kes/bank-transfer', body, headers: sent });
}

const rows = (key: string): Promise<{ transaction_code: string; response: string | null; runs: number }[]> =>
  db.query('select transaction_code, response, runs from idempotency_keys where key = $1', [key]);

afterEach(() => {
  payments.before = () => Promise.resolve();
  payments.after = () => Promise.resolve();
});

describe('Idempotency-Key', () => {
  let key: string;
  let count = 0;

  beforeEach(() => {
    key = `key-${String(count++)}`;
  });

  it('answers a repeat from the store, quoted or bare, without asking payments', async () => {
    const first = await transfer(`"${key}"`);
    const calls = payments.calls.length;
    const second = await transfer(key, { ...TRANSFER, amount: '1500.00', unknown: true });
    expect(first.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(second.headers['transaction-code']).toBe(first.headers['transaction-code']);
    expect(payments.calls).toHaveLength(calls);
  });

  it('refuses another payload: 422', async () => {
    await transfer(key);
    for (const answer of [await transfer(key, { ...TRANSFER, amount: 1600 })]) {
      expect([answer.status, answer.headers['error-code']]).toEqual([422, 'idempotency_mismatch']);
      expect(answer.headers['transaction-code']).toBeUndefined();
    }
    const inAnother = await ask(port(), {
      path: '/ngn/bank-transfer',
      body: { ...TRANSFER, bank_code: '044' },
      headers: { 'idempotency-key': key },
    });
    expect(inAnother.status).toBe(422);
  });

  it('is an operation’s own, while a reference is one over all of them', async () => {
    const payout = (body: object): Promise<Answer> =>
      ask(port(), { path: '/kes/disburse', body, headers: { 'idempotency-key': key } });
    const first = await transfer(key);
    const other = await payout(PAYOUTS[0]);
    expect([other.status, other.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(other.headers['transaction-code']).not.toBe(first.headers['transaction-code']);
    expect((await payout(PAYOUTS[0])).text).toBe(other.text);
    expect((await payout(PAYOUTS[2])).headers['error-code']).toBe('idempotency_mismatch');
    await transfer(null, { ...TRANSFER, reference: `both-${key}` });
    const reused = await ask(port(), { path: '/kes/disburse', body: { ...PAYOUTS[3], reference: `both-${key}` } });
    expect([reused.status, reused.headers['error-code'], reused.headers['transaction-code']]).toEqual([
      409,
      'reference_reused',
      `both-${key}`,
    ]);
  });

  it('is a partner’s own', async () => {
    const mine = await transfer(key);
    const theirs = await transfer(key, TRANSFER, { 'x-api-key': OTHER_CONSUMER_KEY });
    expect(theirs.status).toBe(200);
    expect(theirs.headers['transaction-code']).not.toBe(mine.headers['transaction-code']);
  });

  it('uses the reference as the code where both are sent', async () => {
    const answer = await transfer(key, { ...TRANSFER, reference: `ref-${key}` });
    expect(answer.headers['transaction-code']).toBe(`ref-${key}`);
    expect((await rows(key))[0]?.transaction_code).toBe(`ref-${key}`);
  });

  it('says 409 with the code while the first still runs', async () => {
    let release = (): void => undefined;
    const entered = new Promise<void>((enter) => {
      payments.before = () => {
        enter();
        return new Promise((resolve) => (release = resolve));
      };
    });
    const first = transfer(key);
    await entered;
    const second = await transfer(key);
    expect([second.status, second.headers['error-code']]).toEqual([409, 'request_in_progress']);
    expect(second.headers['retry-after']).toBe('1');
    const code = second.headers['transaction-code'];
    expect((second.body as { message: string }).message).toContain(code);
    release();
    expect((await first).headers['transaction-code']).toBe(code);
  });

  it('accepts one of a hundred at once', async () => {
    const before = payments.accepted.size;
    const answers = await Promise.all(Array.from({ length: 100 }, () => transfer(key)));
    expect(payments.accepted.size - before).toBe(1);
    expect(new Set(answers.map((answer) => answer.headers['transaction-code'])).size).toBe(1);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(
      answers.filter(({ status, headers }) => status === 200 && headers['idempotent-replayed'] !== 'true'),
    ).toHaveLength(1);
  });

  it('keeps nothing of a 4xx', async () => {
    const saved = payments.balanceMinor;
    payments.balanceMinor = 0n;
    expect((await transfer(key)).status).toBe(402);
    payments.balanceMinor = saved;
    expect((await transfer(key, { ...TRANSFER, amount: 5 })).status).toBe(400);
    expect(await rows(key)).toEqual([]);
    expect((await transfer(key, { ...TRANSFER, amount: 1700 })).status).toBe(200);
  });

  it('takes up an open outcome with the same code, and tells what became of it', async () => {
    payments.after = () => Promise.reject(new DeadlineExceededError('payments', 'acceptBankTransfer'));
    const open = await transfer(key);
    expect([open.status, open.headers['error-code']]).toEqual([504, 'outcome_unknown']);
    payments.after = () => Promise.resolve();
    const again = await transfer(key);
    expect(again.status).toBe(200);
    expect(again.headers['transaction-code']).toBe(open.headers['transaction-code']);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect((await rows(key))[0]?.response).not.toBeNull();
  });

  it('keeps the code when a retry of an open outcome is refused', async () => {
    payments.before = () => Promise.reject(new ServiceUnavailableError('payments', 'down'));
    const open = await transfer(key);
    expect(open.status).toBe(503);
    const saved = payments.balanceMinor;
    payments.balanceMinor = 0n;
    payments.before = () => Promise.resolve();
    expect((await transfer(key)).status).toBe(402);
    payments.balanceMinor = saved;
    const last = await transfer(key);
    expect(last.status).toBe(200);
    expect(last.headers['transaction-code']).toBe(open.headers['transaction-code']);
  });

  it('takes over a lease whose process died, and only once it ran out', async () => {
    const store = new IdempotencyStore(db, clock);
    const fingerprint = await fingerprintOf(key);
    const request = { partnerId: 1, operation: 'bank_transfer', key, fingerprint, transactionCode: 'died-1' };
    const first = await store.acquire(request);
    expect(first).toMatchObject({ kind: 'leased', lease: { transactionCode: 'died-1', takenOver: false } });
    clock.advance(9_999);
    expect((await transfer(key)).status).toBe(409);
    clock.advance(1);
    const answer = await transfer(key);
    expect([answer.status, answer.headers['transaction-code']]).toEqual([200, 'died-1']);
    // The dead process comes back: its lease is not its own any more.
    if (first.kind !== 'leased') throw new Error('not leased');
    await store.forget(first.lease);
    await store.complete(first.lease, '{}');
    expect((await rows(key))[0]?.response).toContain('died-1');
  });

  it('forgets after 24 hours, swept or not', async () => {
    const first = await transfer(key);
    clock.advance(24 * 3_600_000 - 1);
    expect((await transfer(key)).headers['transaction-code']).toBe(first.headers['transaction-code']);
    clock.advance(1);
    const fresh = await transfer(key, { ...TRANSFER, amount: 1800 });
    expect(fresh.status).toBe(200);
    expect(fresh.headers['transaction-code']).not.toBe(first.headers['transaction-code']);
    clock.advance(25 * 3_600_000);
    wakeSweep();
    await until(async () => (await rows(key)).length === 0, { withinMs: 5_000, what: 'the sweep' });
  });

  it.each(['"unfinished', 'x'.repeat(256), '"a\\b"'])('refuses the malformed key %s', async (malformed) => {
    const answer = await transfer(malformed);
    expect([answer.status, answer.headers['error-code']]).toEqual([400, 'invalid_request']);
  });

  it('writes nothing without a key', async () => {
    const count = async (): Promise<string> =>
      (await db.query<{ n: string }>('select count(*) as n from idempotency_keys'))[0]?.n ?? '';
    const before = await count();
    expect((await transfer(null)).status).toBe(200);
    expect(await count()).toBe(before);
  });

  async function fingerprintOf(name: string): Promise<string> {
    await transfer(`probe-${name}`);
    const [row] = await db.query<{ fingerprint: string }>('select fingerprint from idempotency_keys where key = $1', [
      `probe-${name}`,
    ]);
    return row?.fingerprint ?? '';
  }
});

describe('partners and keys', () => {
  it('keeps hashes, never keys, and changes nothing on a repeat', async () => {
    const again = await gateway.handlers.ensureSandboxPartner(PARTNER, newCallContext());
    expect(again).toEqual({ ok: true, value: { partner_id: 1 } });
    const stored = await db.query<Record<string, unknown>>(
      'select k.*, p.name from api_keys k join partners p on p.id = k.partner_id',
    );
    expect(stored).toHaveLength(4);
    expect(JSON.stringify(stored)).not.toContain('AAAAAAAA');
  });

  it('stores a new hash where the key changed, and the old key is void at once', async () => {
    const rotated = { ...OTHER, consumer_key: 'vk_test_consumer_p2_EEEEEEEEEEEEEEEEEEEEEEEE' };
    await gateway.handlers.ensureSandboxPartner(rotated, newCallContext());
    const banks = (key: string): Promise<Answer> => ask(port(), { path: '/v1/banks', headers: { 'x-api-key': key } });
    expect((await banks(OTHER.consumer_key)).status).toBe(401);
    expect((await banks(rotated.consumer_key)).status).toBe(200);
    await gateway.handlers.ensureSandboxPartner(OTHER, newCallContext());
  });

  it('have a default webhook URL that counts at once for what they ask here, and for nobody else', async () => {
    const set = (url: string | null): Promise<Answer> => ask(port(), { path: '/v1/webhooks/endpoint', body: { url } });
    const told = async (key: string): Promise<string | null | undefined> => {
      expect(
        (await ask(port(), { path: '/kes/bank-transfer', body: TRANSFER, headers: { 'x-api-key': key } })).status,
      ).toBe(200);
      return payments.calls.at(-1)?.callback_url;
    };
    expect(await told(CONSUMER_KEY)).toBeNull();
    expect((await set('http://127.0.0.1:9/hook?x=%41')).status).toBe(200);
    expect([await told(CONSUMER_KEY), await told(OTHER_CONSUMER_KEY)]).toEqual(['http://127.0.0.1:9/hook?x=%41', null]);
    expect(await db.query('select name, webhook_url from partners order by id')).toEqual([
      { name: 'One', webhook_url: 'http://127.0.0.1:9/hook?x=%41' },
      { name: 'Two', webhook_url: null },
    ]);
    await set(null);
    expect(await told(CONSUMER_KEY)).toBeNull();
  });

  it('refuses keys that are not a sandbox’s, and live partners', async () => {
    const wrong = await gateway.handlers.ensureSandboxPartner(
      { ...PARTNER, consumer_key: CHECKOUT_KEY },
      newCallContext(),
    );
    expect(wrong).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    const live = await start({ VUKA_ENV: 'live' });
    try {
      const answer = await live.handlers.ensureSandboxPartner(PARTNER, newCallContext());
      expect(answer).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    } finally {
      await live.stop();
    }
  });

  it('sees a revocation within five seconds', async () => {
    const banks = (): Promise<Answer> => ask(port(), { path: '/v1/banks' });
    clock.advance(5_000);
    expect((await banks()).status).toBe(200);
    await db.query('update api_keys set revoked_at = $1 where visible_prefix = $2', [
      clock.now(),
      'vk_test_consumer_p1',
    ]);
    clock.advance(5_000);
    expect((await banks()).status).toBe(401);
    await db.query('update api_keys set revoked_at = null', []);
    clock.advance(5_000);
    expect((await banks()).status).toBe(200);
  });

  it('tells the account from its own tables', async () => {
    const answer = await ask(port(), { path: '/account/detail' });
    expect(answer.body).toMatchObject({
      data: { id: 1, name: 'One', email: 'one@example.com', checkout_key: 'vk_test_checkout_p1' },
    });
  });
});

describe('running', () => {
  it('lets requests in flight end, closes their connections, and is not ready meanwhile; what reads its outbox does so until it is stopped', async () => {
    const other = await start();
    await other.start();
    expect(await other.ready()).toBe(true);
    const otherPort = Number(new URL(other.baseUrl).port);
    let release = (): void => undefined;
    const entered = new Promise<void>((enter) => {
      payments.before = () => {
        enter();
        return new Promise((resolve) => (release = resolve));
      };
    });
    const agent = new Agent({ keepAlive: true });
    const running = new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
      const headers = { 'x-api-key': CONSUMER_KEY, 'content-type': 'application/json' };
      const request = httpRequest(
        { port: otherPort, host: '127.0.0.1', agent, method: 'POST', path: '/kes/bank-transfer', headers },
        (response) => {
          response
            .resume()
            .on('end', () => resolve({ status: response.statusCode, connection: response.headers.connection }));
        },
      );
      request.on('error', reject).end(JSON.stringify(TRANSFER));
    });
    await entered;
    const closed = other.closeApi();
    expect(await other.ready()).toBe('shutting down');
    await expect(ask(otherPort, { path: '/v1/banks' })).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
    release();
    expect(await running).toEqual({ status: 200, connection: 'close' });
    await closed;
    await other.db.ping();
    await other.stop();
    agent.destroy();
  });

  it('says 503, not 401 and never 500, when keys cannot be read, with a code that nothing was accepted under', async () => {
    const doomed = await start();
    await doomed.start();
    const doomedPort = Number(new URL(doomed.baseUrl).port);
    await db.query('alter table api_keys rename to api_keys_away', []);
    try {
      const answer = await ask(doomedPort, { path: '/kes/bank-transfer', body: TRANSFER });
      expect([answer.status, answer.headers['error-code']]).toEqual([503, 'service_unavailable']);
      expect(answer.headers['transaction-code']).toMatch(/^[0-9a-f-]{36}$/);
      expect((await ask(doomedPort, { path: '/v1/banks' })).headers['transaction-code']).toBeUndefined();
    } finally {
      await db.query('alter table api_keys_away rename to api_keys', []);
      await doomed.stop();
    }
  });

  it('accepts nothing when a key cannot be read, and claims nothing about an earlier request under it', async () => {
    const first = await transfer('key-away');
    expect(first.status).toBe(200);
    const calls = payments.calls.length;
    await db.query('alter table idempotency_keys rename to keys_away', []);
    const answer = await transfer('key-away');
    const referenced = await transfer('key-away-2', { ...TRANSFER, reference: 'away-ref' });
    await db.query('alter table keys_away rename to idempotency_keys', []);
    expect([answer.status, answer.headers['error-code']]).toEqual([503, 'service_unavailable']);
    expect(answer.text).not.toContain('nothing was accepted');
    expect(answer.text).toContain('Whether an earlier request under this key was accepted is not known');
    // A code minted for this call would be none that the earlier one has; the caller's own reference is.
    expect([answer.headers['transaction-code'], referenced.headers['transaction-code']]).toEqual([
      undefined,
      'away-ref',
    ]);
    expect(payments.calls).toHaveLength(calls);
  });

  it('answers what was accepted even when the key cannot be settled', async () => {
    payments.after = async () => void (await db.query('alter table idempotency_keys rename to keys_away', []));
    const answer = await transfer('key-unsettled');
    await db.query('alter table keys_away rename to idempotency_keys', []);
    payments.after = () => Promise.resolve();
    expect(answer.status).toBe(200);
    clock.advance(10_000);
    const again = await transfer('key-unsettled');
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(again.headers['transaction-code']).toBe(answer.headers['transaction-code']);
  });
});
