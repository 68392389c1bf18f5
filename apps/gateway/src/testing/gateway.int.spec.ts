import { request as httpRequest, Agent } from 'node:http';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newCallContext } from '@vuka/http';
import { Database } from '@vuka/persistence';

import { GatewayFixture, OTHER, PARTNER } from './gateway-fixture.spec-support.js';
import { ask, CHECKOUT_KEY, CONSUMER_KEY, OTHER_CONSUMER_KEY, TRANSFER, type Answer } from './gateway.spec-support.js';

const fixture = new GatewayFixture();
const { payments, clock, start, port, transfer } = fixture;

beforeAll(() => fixture.open(), 60_000);
afterAll(() => fixture.close(), 30_000);
afterEach(() => fixture.releaseClaim());

describe('partners and keys', () => {
  it('keeps hashes, never keys, and changes nothing on a repeat', async () => {
    const again = await fixture.gateway.handlers.ensureSandboxPartner(PARTNER, newCallContext());
    expect(again).toEqual({ ok: true, value: { partner_id: 1 } });
    const stored = await fixture.db.query<Record<string, unknown>>(
      'select k.*, p.name from api_keys k join partners p on p.id = k.partner_id',
    );
    expect(stored).toHaveLength(4);
    expect(JSON.stringify(stored)).not.toContain('AAAAAAAA');
  });

  it('stores a new hash where the key changed, and the old key is void at once', async () => {
    const rotated = { ...OTHER, consumer_key: 'vk_test_consumer_p2_EEEEEEEEEEEEEEEEEEEEEEEE' };
    await fixture.gateway.handlers.ensureSandboxPartner(rotated, newCallContext());
    const banks = (key: string): Promise<Answer> => ask(port(), { path: '/v1/banks', headers: { 'x-api-key': key } });
    expect((await banks(OTHER.consumer_key)).status).toBe(401);
    expect((await banks(rotated.consumer_key)).status).toBe(200);
    await fixture.gateway.handlers.ensureSandboxPartner(OTHER, newCallContext());
  });

  it('have a default webhook URL that applies at once, only to their own requests', async () => {
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
    expect(await fixture.db.query('select name, webhook_url from partners order by id')).toEqual([
      { name: 'One', webhook_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/hook\?~v1\.w1\.[\w-]+$/) },
      { name: 'Two', webhook_url: null },
    ]);
    await set(null);
    expect(await told(CONSUMER_KEY)).toBeNull();
  });

  it('refuses keys that are not a sandbox’s, and live partners', async () => {
    const wrong = await fixture.gateway.handlers.ensureSandboxPartner(
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
    await fixture.db.query('update api_keys set revoked_at = $1 where visible_prefix = $2', [
      clock.now(),
      'vk_test_consumer_p1',
    ]);
    clock.advance(5_000);
    expect((await banks()).status).toBe(401);
    await fixture.db.query('update api_keys set revoked_at = null', []);
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
  it('finishes requests in flight, closes their connections, and is not ready meanwhile; the outbox is read until the stop', async () => {
    const other = await start();
    await other.start();
    expect(await other.ready()).toBe(true);
    const otherPort = Number(new URL(other.root.baseUrl).port);
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
    const closed = other.root.closeApi();
    expect(await other.ready()).toBe('shutting down');
    await expect(ask(otherPort, { path: '/v1/banks' })).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
    release();
    expect(await running).toEqual({ status: 200, connection: 'close' });
    await closed;
    await other.get(Database).ping();
    await other.stop();
    agent.destroy();
  });

  it('says 503, not 401 and never 500, when keys cannot be read, with a code that nothing was accepted under', async () => {
    const doomed = await start();
    await doomed.start();
    const doomedPort = Number(new URL(doomed.root.baseUrl).port);
    await fixture.admin.query('alter table api_keys rename to api_keys_away', []);
    try {
      const answer = await ask(doomedPort, { path: '/kes/bank-transfer', body: TRANSFER });
      expect([answer.status, answer.headers['error-code']]).toEqual([503, 'service_unavailable']);
      expect(answer.headers['transaction-code']).toMatch(/^[0-9a-f-]{36}$/);
      expect((await ask(doomedPort, { path: '/v1/banks' })).headers['transaction-code']).toBeUndefined();
    } finally {
      await fixture.admin.query('alter table api_keys_away rename to api_keys', []);
      await doomed.stop();
    }
  });

  it('accepts nothing when a key cannot be read, and claims nothing about an earlier request under it', async () => {
    const first = await transfer('key-away');
    expect(first.status).toBe(200);
    const calls = payments.calls.length;
    await fixture.admin.query('alter table idempotency_keys rename to keys_away', []);
    const answer = await transfer('key-away');
    const referenced = await transfer('key-away-2', { ...TRANSFER, reference: 'away-ref' });
    await fixture.admin.query('alter table keys_away rename to idempotency_keys', []);
    expect([answer.status, answer.headers['error-code']]).toEqual([503, 'service_unavailable']);
    expect(answer.text).not.toContain('nothing was accepted');
    expect(answer.text).toContain('Whether an earlier request under this key was accepted is not known');
    // A new code does not belong to the earlier request; the caller's reference does.
    expect([answer.headers['transaction-code'], referenced.headers['transaction-code']]).toEqual([
      undefined,
      'away-ref',
    ]);
    expect(payments.calls).toHaveLength(calls);
  });

  it('answers what was accepted even when the key cannot be settled', async () => {
    payments.after = async () =>
      void (await fixture.admin.query('alter table idempotency_keys rename to keys_away', []));
    const answer = await transfer('key-unsettled');
    await fixture.admin.query('alter table keys_away rename to idempotency_keys', []);
    payments.after = () => Promise.resolve();
    expect(answer.status).toBe(200);
    clock.advance(10_000);
    const again = await transfer('key-unsettled');
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect(again.headers['transaction-code']).toBe(answer.headers['transaction-code']);
  });
});
