import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CURRENCIES, type Result } from '@vuka/domain';
import { Database } from '@vuka/persistence';
import { loadSettings, ManualClock, MemoryBuckets, newCallContext } from '@vuka/platform';

import { DETACHED } from './events.spec-support.js';
import { KeyDesk, type KeyToMake, type MadeKey } from './desk/key-desk.js';
import { ask, CHECKOUT_KEY, CONSUMER_KEY, PaymentsStub, PAYOUTS, PEPPER, silentLog, stubServices, type Answer } from './gateway.spec-support.js';
import { startTestDatabase, type TestDatabase } from './gateway-database.spec-support.js';
import { startGateway, type GatewayService } from './start-gateway.js';

const PARTNER = { name: 'One', email: 'one@example.com', consumer_key: CONSUMER_KEY, checkout_key: CHECKOUT_KEY };
const NEW_KEY = 'vk_test_consumer_p1_ZZZZZZZZZZZZZZZZZZZZZZZZ';
const VISIBLE_PREFIX = 'vk_test_consumer_p1';
/** How long a gateway may go on by what it knew. */
const COHERENT_MS = 5_000;

let database: TestDatabase;
let db: Database;
let clock: ManualClock;
const payments = new PaymentsStub();
const shared = new MemoryBuckets();
let gateways: GatewayService[] = [];

function start(): Promise<GatewayService> {
  return startGateway({
    ...DETACHED,
    settings: loadSettings({ PORT: '0', RATE_LIMIT_PARTNER: '1/20', RATE_LIMIT_FAILED_AUTH: '1/20' }),
    database: database.config,
    ...stubServices(payments),
    currencies: CURRENCIES,
    jobs: { every: () => undefined },
    clock,
    log: silentLog,
    secrets: { keyPepper: PEPPER },
    readiness: async () => ({ ready: true, checks: {} }),
    rateLimitStore: shared,
  });
}

beforeAll(async () => {
  database = await startTestDatabase();
  clock = new ManualClock(new Date());
  gateways = [await start(), await start()];
  db = await Database.connect({ ...database.config, migrations: [] });
  for (const gateway of gateways) await gateway.start();
  await gateways[0]?.handlers.ensureSandboxPartner(PARTNER, newCallContext());
}, 60_000);

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await db.close();
  await database.stop();
}, 30_000);

const at = (n: 0 | 1, path: string, key = CONSUMER_KEY, body?: object): Promise<Answer> =>
  ask(Number(new URL(gateways[n]!.baseUrl).port), { path, headers: { 'x-api-key': key }, ...(body !== undefined && { body }) });
const banksAt = async (key?: string): Promise<number[]> => [(await at(0, '/v1/banks', key)).status, (await at(1, '/v1/banks', key)).status];
function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
/** All tokens are back, and what was known is too old. */
const later = (): void => clock.advance(60_000);

describe('two gateways on one database', () => {
  it('both refuse a revoked key within five seconds, and both open for it when it is valid again', async () => {
    expect(await banksAt()).toEqual([200, 200]);
    await db.query('update api_keys set revoked_at = $1 where visible_prefix = $2', [clock.now(), VISIBLE_PREFIX]);
    clock.advance(COHERENT_MS);
    expect(await banksAt()).toEqual([401, 401]);
    await db.query('update api_keys set revoked_at = null', []);
    clock.advance(COHERENT_MS);
    expect(await banksAt()).toEqual([200, 200]);
  });

  it('both know a key within five seconds that was made through one of them, which knows it at once; and the one before no longer', async () => {
    later();
    expect(await banksAt()).toEqual([200, 200]);
    expect(await banksAt(NEW_KEY)).toEqual([401, 401]);
    const made = await gateways[0]?.handlers.ensureSandboxPartner({ ...PARTNER, consumer_key: NEW_KEY }, newCallContext());
    expect(made).toMatchObject({ ok: true });
    expect((await at(0, '/v1/banks', NEW_KEY)).status).toBe(200);
    clock.advance(COHERENT_MS);
    expect([await banksAt(NEW_KEY), await banksAt()]).toEqual([[200, 200], [401, 401]]);
    await gateways[1]?.handlers.ensureSandboxPartner(PARTNER, newCallContext());
    clock.advance(COHERENT_MS);
    expect([await banksAt(NEW_KEY), await banksAt()]).toEqual([[401, 401], [200, 200]]);
  });

  it('both go by what people do to keys within five seconds, the scopes and addresses of the new one among it', async () => {
    later();
    const desk = new KeyDesk({ db, environment: 'test', pepper: PEPPER, clock });
    const act = { by: 'Asha', reason: 'ticket 7' };
    const made = async (given: Partial<KeyToMake>): Promise<MadeKey> => valueOf(await desk.issueKey({ partnerId: 1, kind: 'consumer', ...act, ...given }));
    const reader = await made({ scopes: ['read'] });
    const bound = await made({ addresses: ['192.0.2.0/24'] });
    const short = await made({ expiresAt: new Date(clock.now().getTime() + 2_000) });
    expect([await banksAt(reader.key), await banksAt(bound.key), await banksAt(short.key)]).toEqual([[200, 200], [403, 403], [200, 200]]);
    expect([(await at(0, '/v1/refund', reader.key)).status, (await at(1, '/v1/refund', reader.key)).status]).toEqual([403, 403]);
    const next = valueOf(await desk.rotateKey({ key: reader.issued.visible_prefix, overlapHours: 1, scopes: null, ...act }));
    valueOf(await desk.revokeKey({ key: bound.issued.visible_prefix, ...act }));
    clock.advance(COHERENT_MS);
    expect([await banksAt(reader.key), await banksAt(next.key), await banksAt(bound.key), await banksAt(short.key)]).toEqual([[200, 200], [200, 200], [401, 401], [401, 401]]);
    later();
    valueOf(await desk.revokeKey({ key: reader.issued.visible_prefix, ...act }));
    clock.advance(COHERENT_MS);
    expect([await banksAt(reader.key), await banksAt(next.key)]).toEqual([[401, 401], [200, 200]]);
  });

  it('both send word of a payout to the partner’s new webhook URL within five seconds', async () => {
    later();
    const calledBack = async (n: 0 | 1): Promise<string | null | undefined> => {
      expect((await at(n, '/kes/disburse', CONSUMER_KEY, PAYOUTS[0])).status).toBe(200);
      return payments.calls.at(-1)?.callback_url;
    };
    expect([await calledBack(0), await calledBack(1)]).toEqual([null, null]);
    await db.query('update partners set webhook_url = $1', ['https://partner.example/hook']);
    clock.advance(COHERENT_MS);
    expect([await calledBack(0), await calledBack(1)]).toEqual(['https://partner.example/hook', 'https://partner.example/hook']);
  });

  it('share a partner’s limit and that of failed keys, in the store they are given', async () => {
    for (const [key, allowed] of [[CONSUMER_KEY, 200], [NEW_KEY, 401]] as const) {
      later();
      const statuses: number[] = [];
      for (let round = 0; round < 12; round++) statuses.push(...(await banksAt(key)));
      expect(statuses).toEqual([...Array<number>(20).fill(allowed), 429, 429, 429, 429]);
    }
  });

  // The last: a gateway is stopped here.
  it('each writes when keys were used last, at its stop what is left; of a key that was refused it says nothing', async () => {
    later();
    const usedAt = async (prefix: string): Promise<unknown> => (await db.query<{ last_used_at: Date | null }>('select last_used_at from api_keys where visible_prefix = $1', [prefix]))[0]?.last_used_at;
    expect((await at(1, '/v1/banks', CHECKOUT_KEY)).status).toBe(403);
    expect((await at(1, '/v1/banks')).status).toBe(200);
    const at1 = clock.now();
    await gateways[1]?.stop();
    expect([await usedAt(VISIBLE_PREFIX), await usedAt('vk_test_checkout_p1')]).toEqual([at1, null]);
  });
});
