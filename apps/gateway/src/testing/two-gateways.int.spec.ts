import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadSettings } from '@vuka/config';
import { CURRENCIES } from '@vuka/domain';
import { MemoryBuckets, newCallContext } from '@vuka/http';
import type { Database } from '@vuka/persistence';
import { ManualClock } from '@vuka/runtime';
import type { OpenedService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';

import { KeyAdmin, type KeyToMake, type MadeKey } from '../admin/key-admin.js';
import { PartnerAdmin } from '../admin/partner-admin.js';
import { TermsAdmin } from '../admin/terms-admin.js';
import { valueOf } from '../calls/results.spec-support.js';
import type { GatewayRoot } from '../gateway.root.js';
import { openGateway, startTestDatabase, type TestDatabase } from './gateway-database.spec-support.js';
import {
  ask,
  CHECKOUT_KEY,
  CONSUMER_KEY,
  HASH,
  PaymentsStub,
  PAYOUTS,
  PEPPER,
  stubServices,
  TRANSFER,
  type Answer,
} from './gateway.spec-support.js';

const PARTNER = { name: 'One', email: 'one@example.com', consumer_key: CONSUMER_KEY, checkout_key: CHECKOUT_KEY };
const NEW_KEY = 'vk_test_consumer_p1_ZZZZZZZZZZZZZZZZZZZZZZZZ';
const VISIBLE_PREFIX = 'vk_test_consumer_p1';
const QUOTED = { amount: 1000, asset: 'USDC', network: 'BASE' };
/** Longest age of cached data. */
const COHERENT_MS = 5_000;

let database: TestDatabase;
let db: Database;
let clock: ManualClock;
const payments = new PaymentsStub();
const shared = new MemoryBuckets();
let gateways: OpenedService<GatewayRoot>[] = [];

function start(): Promise<OpenedService<GatewayRoot>> {
  return openGateway(database, {
    settings: loadSettings({ PORT: '0', RATE_LIMIT_PARTNER: '1/20', RATE_LIMIT_FAILED_AUTH: '1/20' }),
    clients: stubServices(payments),
    clock,
    rateLimitStore: shared,
  });
}

beforeAll(async () => {
  database = await startTestDatabase();
  clock = new ManualClock(new Date());
  gateways = [await start(), await start()];
  db = await database.connect();
  for (const gateway of gateways) await gateway.start();
  await gateways[0]?.handlers.ensureSandboxPartner(PARTNER, newCallContext());
}, 60_000);

afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await database.stop();
}, 30_000);

const at = (n: 0 | 1, path: string, key = CONSUMER_KEY, body?: object): Promise<Answer> =>
  ask(Number(new URL(gateways[n]!.root.baseUrl).port), {
    path,
    headers: { 'x-api-key': key },
    ...(body !== undefined && { body }),
  });
const banksAt = async (key?: string): Promise<number[]> => [
  (await at(0, '/v1/banks', key)).status,
  (await at(1, '/v1/banks', key)).status,
];
/** Refills all buckets and expires caches. */
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

  it('both accept a new key within five seconds, the gateway that made it at once; the old key is then refused', async () => {
    later();
    expect(await banksAt()).toEqual([200, 200]);
    expect(await banksAt(NEW_KEY)).toEqual([401, 401]);
    const made = await gateways[0]?.handlers.ensureSandboxPartner(
      { ...PARTNER, consumer_key: NEW_KEY },
      newCallContext(),
    );
    expect(made).toMatchObject({ ok: true });
    expect((await at(0, '/v1/banks', NEW_KEY)).status).toBe(200);
    clock.advance(COHERENT_MS);
    expect([await banksAt(NEW_KEY), await banksAt()]).toEqual([
      [200, 200],
      [401, 401],
    ]);
    await gateways[1]?.handlers.ensureSandboxPartner(PARTNER, newCallContext());
    clock.advance(COHERENT_MS);
    expect([await banksAt(NEW_KEY), await banksAt()]).toEqual([
      [401, 401],
      [200, 200],
    ]);
  });

  it('both follow changes of keys by people within five seconds, also scopes and addresses', async () => {
    later();
    const admin = new KeyAdmin(db, { env: 'sandbox' }, PEPPER, clock);
    const act = { by: 'Asha', reason: 'ticket 7' };
    const made = async (given: Partial<KeyToMake>): Promise<MadeKey> =>
      valueOf(await admin.issueKey({ partnerId: 1, kind: 'consumer', ...act, ...given }));
    const reader = await made({ scopes: ['read'] });
    const bound = await made({ addresses: ['192.0.2.0/24'] });
    const short = await made({ expiresAt: new Date(clock.now().getTime() + 2_000) });
    expect([await banksAt(reader.key), await banksAt(bound.key), await banksAt(short.key)]).toEqual([
      [200, 200],
      [403, 403],
      [200, 200],
    ]);
    expect([(await at(0, '/v1/refund', reader.key)).status, (await at(1, '/v1/refund', reader.key)).status]).toEqual([
      403, 403,
    ]);
    const next = valueOf(
      await admin.rotateKey({ key: reader.issued.visible_prefix, overlapHours: 1, scopes: null, ...act }),
    );
    valueOf(await admin.revokeKey({ key: bound.issued.visible_prefix, ...act }));
    clock.advance(COHERENT_MS);
    expect([
      await banksAt(reader.key),
      await banksAt(next.key),
      await banksAt(bound.key),
      await banksAt(short.key),
    ]).toEqual([
      [200, 200],
      [200, 200],
      [401, 401],
      [401, 401],
    ]);
    later();
    valueOf(await admin.revokeKey({ key: reader.issued.visible_prefix, ...act }));
    clock.advance(COHERENT_MS);
    expect([await banksAt(reader.key), await banksAt(next.key)]).toEqual([
      [401, 401],
      [200, 200],
    ]);
  });

  it('both use the new webhook URL of the partner within five seconds', async () => {
    later();
    const calledBack = async (n: 0 | 1): Promise<string | null | undefined> => {
      expect((await at(n, '/kes/disburse', CONSUMER_KEY, PAYOUTS[0])).status).toBe(200);
      return payments.calls.at(-1)?.callback_url;
    };
    expect([await calledBack(0), await calledBack(1)]).toEqual([null, null]);
    await db.query('update partners set webhook_url = $1', ['https://partner.example/hook']);
    clock.advance(COHERENT_MS);
    expect([await calledBack(0), await calledBack(1)]).toEqual([
      'https://partner.example/hook',
      'https://partner.example/hook',
    ]);
  });

  it('both refuse within five seconds what a suspended partner starts, go on telling it what became of the rest, and serve it again', async () => {
    const admin = new PartnerAdmin(db, { allowPrivate: false, anyPort: false }, clock, testContext().webhookCipher);
    const act = { partnerId: 1, by: 'Asha', reason: 'ticket 8' };
    const till = valueOf(
      await new KeyAdmin(db, { env: 'sandbox' }, PEPPER, clock).issueKey({ ...act, kind: 'checkout' }),
    ).key;
    const starts = async (): Promise<number[]> => {
      const asked = ([0, 1] as const).flatMap((n) => [
        at(n, '/kes/disburse', CONSUMER_KEY, PAYOUTS[0]),
        at(n, '/v1/quote', CONSUMER_KEY, QUOTED),
        at(n, '/v1/validation', CONSUMER_KEY, {}),
        at(n, '/v1/checkout/', till),
      ]);
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    later();
    expect(await starts()).toEqual([200, 200, 400, 400, 200, 200, 400, 400]);
    valueOf(await admin.suspendPartner(act));
    clock.advance(COHERENT_MS);
    const calls = payments.calls.length;
    expect(await starts()).toEqual(Array<number>(8).fill(403));
    expect(payments.calls.length).toBe(calls);
    expect([(await at(0, '/v1/limits')).status, (await at(1, '/account/detail')).status, ...(await banksAt())]).toEqual(
      [200, 200, 200, 200],
    );
    later();
    expect((await starts())[0]).toBe(403);
    valueOf(await admin.resumePartner(act));
    clock.advance(COHERENT_MS);
    expect(await starts()).toEqual([200, 200, 400, 400, 200, 200, 400, 400]);
  });

  it('both use new terms of a partner within five seconds, and otherwise the terms of the deployment', async () => {
    const admin = new TermsAdmin(db, CURRENCIES, clock);
    const terms = {
      limits: [
        { operation: 'payout', currency: 'KES', max: '1499' },
        { operation: 'bank_transfer', currency: 'KES', max: '900' },
      ],
      service_fees: [{ operation: 'disburse', currency: 'KES', flat: '1.5', basis_points: 25 }],
    };
    const set = async (rows: Record<string, unknown> | null): Promise<void> => {
      valueOf(await admin.setTerms({ partnerId: 1, terms: rows, by: 'Asha', reason: 'contract 3' }));
      later();
    };
    const digests = new Set<unknown>();
    const fee = async (n: 0 | 1, path: string, body: object): Promise<unknown> => {
      const { status } = await at(n, path, CONSUMER_KEY, body);
      const { service_fee: told, terms: digest } = payments.calls.at(-1) ?? {};
      digests.add(digest);
      return status === 200 ? told : status;
    };
    const maxOf = async (n: 0 | 1): Promise<unknown> =>
      ((await at(n, '/v1/limits')).body as { data: { operation: string; currency: string; max: string }[] }).data.find(
        ({ operation, currency }) => operation === 'bank_transfer' && currency === 'KES',
      )?.max;
    await set(terms);
    for (const n of [0, 1] as const) {
      expect(await maxOf(n)).toBe('900.00');
      expect(await fee(n, '/kes/disburse', PAYOUTS[0])).toBe(400);
      expect(await fee(n, '/kes/disburse', { ...PAYOUTS[0], amount: 1499 })).toEqual({
        flat_minor: '150',
        basis_points: 25,
      });
      expect([
        await fee(n, '/kes/bank-transfer', { ...TRANSFER, amount: 900.01 }),
        await fee(n, '/kes/bank-transfer', { ...TRANSFER, amount: 900 }),
      ]).toEqual([400, undefined]);
      const pay = await at(n, '/v1/pay/kes', CONSUMER_KEY, { ...PAYOUTS[0], chain: 'CELO', transaction_hash: HASH });
      expect([pay.status, (pay.body as { message: string }).message]).toEqual([400, expect.stringContaining('1,499')]);
      expect((await at(n, '/v1/quote', CONSUMER_KEY, { ...QUOTED, amount: 1500 })).status).toBe(400);
    }
    await set(null);
    for (const n of [0, 1] as const)
      expect([await maxOf(n), await fee(n, '/kes/disburse', PAYOUTS[0])]).toEqual(['250000.00', undefined]);
    // payments compares the deployment's terms, not a partner's.
    expect(digests.size).toBe(1);
  });

  it('answer a repeat of an accepted request as before, even if the terms have changed', async () => {
    later();
    const body = { ...PAYOUTS[0], reference: 'order-77' };
    const first = await at(0, '/kes/disburse', CONSUMER_KEY, body);
    valueOf(
      await new TermsAdmin(db, CURRENCIES, clock).setTerms({
        partnerId: 1,
        terms: { limits: [{ operation: 'payout', currency: 'KES', max: '300' }] },
        by: 'Asha',
        reason: 'contract 4',
      }),
    );
    later();
    const again = await at(1, '/kes/disburse', CONSUMER_KEY, body);
    expect([
      first.status,
      again.status,
      again.headers['idempotent-replayed'],
      again.headers['transaction-code'],
    ]).toEqual([200, 200, 'true', 'order-77']);
    expect((await at(1, '/kes/disburse', CONSUMER_KEY, { ...body, reference: 'order-78' })).status).toBe(400);
    await db.query('update partners set terms = null');
    later();
  });

  it('share a partner’s limit and that of failed keys, in the store they are given', async () => {
    for (const [key, allowed] of [
      [CONSUMER_KEY, 200],
      [NEW_KEY, 401],
    ] as const) {
      later();
      const statuses: number[] = [];
      for (let round = 0; round < 12; round++) statuses.push(...(await banksAt(key)));
      expect(statuses).toEqual([...Array<number>(20).fill(allowed), 429, 429, 429, 429]);
    }
  });

  // Last, because a gateway is stopped here.
  it('each writes when keys were last used, the rest at its stop, and nothing about refused keys', async () => {
    later();
    const usedAt = async (prefix: string): Promise<unknown> =>
      (
        await db.query<{ last_used_at: Date | null }>('select last_used_at from api_keys where visible_prefix = $1', [
          prefix,
        ])
      )[0]?.last_used_at;
    expect((await at(1, '/v1/banks', CHECKOUT_KEY)).status).toBe(403);
    expect((await at(1, '/v1/banks')).status).toBe(200);
    const at1 = clock.now();
    await gateways[1]?.stop();
    expect([await usedAt(VISIBLE_PREFIX), await usedAt('vk_test_checkout_p1')]).toEqual([at1, null]);
  });
});
