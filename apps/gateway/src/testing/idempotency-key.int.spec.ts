import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DeadlineExceededError, ServiceUnavailableError } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { IdempotencyStore } from '../idempotency/idempotency.store.js';
import { GatewayFixture } from './gateway-fixture.spec-support.js';
import { ask, OTHER_CONSUMER_KEY, PAYOUTS, TRANSFER, type Answer } from './gateway.spec-support.js';

const fixture = new GatewayFixture();
const { payments, clock, port, transfer, rows } = fixture;

beforeAll(() => fixture.open(), 60_000);
afterAll(() => fixture.close(), 30_000);
afterEach(() => fixture.releaseClaim());

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

  it('continues an open outcome with the same code, and gives its result', async () => {
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

  it('takes over the lease of a dead process only after it has expired', async () => {
    const store = new IdempotencyStore(fixture.db, clock);
    const fingerprint = await fingerprintOf(key);
    const request = { partnerId: 1, operation: 'bank_transfer', key, fingerprint, transactionCode: 'died-1' };
    const first = await store.acquire(request);
    expect(first).toMatchObject({ kind: 'leased', lease: { transactionCode: 'died-1', takenOver: false } });
    clock.advance(9_999);
    expect((await transfer(key)).status).toBe(409);
    clock.advance(1);
    const answer = await transfer(key);
    expect([answer.status, answer.headers['transaction-code']]).toEqual([200, 'died-1']);
    // The dead process returns; its lease was taken over.
    if (first.kind !== 'leased') throw new Error('not leased');
    await store.forget(first.lease);
    await store.complete(first.lease, '{}');
    expect((await rows(key))[0]?.response).toContain('died-1');
  });

  it('knows a request of before a new index key, and keeps new ones under the newest alone', async () => {
    const store = new IdempotencyStore(fixture.db, clock);
    const request = { partnerId: 1, operation: 'bank_transfer', key, transactionCode: 'turned-1' };
    const before = await store.acquire({ ...request, fingerprint: 'v1.i1.a' });
    if (before.kind !== 'leased') throw new Error('not leased');
    const after = 'v1.i2.A v1.i1.a';
    expect(await store.acquire({ ...request, fingerprint: after })).toMatchObject({ kind: 'running' });
    await store.release(before.lease);
    const taken = await store.acquire({ ...request, fingerprint: after });
    expect(taken).toMatchObject({ kind: 'leased', lease: { takenOver: true, transactionCode: 'turned-1' } });
    if (taken.kind !== 'leased') return;
    await store.complete(taken.lease, '{}');
    expect(await store.acquire({ ...request, fingerprint: after })).toMatchObject({ kind: 'stored' });
    expect(await store.acquire({ ...request, fingerprint: 'v1.i2.B v1.i1.b' })).toEqual({ kind: 'mismatch' });
    expect((await store.find(request))?.fingerprint).toBe('v1.i2.A');
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
    fixture.wakeSweep();
    await until(async () => (await rows(key)).length === 0, { withinMs: 5_000, what: 'the sweep' });
  });

  it.each(['"unfinished', 'x'.repeat(256), '"a\\b"'])('refuses the malformed key %s', async (malformed) => {
    const answer = await transfer(malformed);
    expect([answer.status, answer.headers['error-code']]).toEqual([400, 'invalid_request']);
  });

  it('writes nothing without a key', async () => {
    const count = async (): Promise<string> =>
      (await fixture.db.query<{ n: string }>('select count(*) as n from idempotency_keys'))[0]?.n ?? '';
    const before = await count();
    expect((await transfer(null)).status).toBe(200);
    expect(await count()).toBe(before);
  });

  async function fingerprintOf(name: string): Promise<string> {
    await transfer(`probe-${name}`);
    const [row] = await fixture.db.query<{ fingerprint: string }>(
      'select fingerprint from idempotency_keys where key = $1',
      [`probe-${name}`],
    );
    return row?.fingerprint ?? '';
  }
});
