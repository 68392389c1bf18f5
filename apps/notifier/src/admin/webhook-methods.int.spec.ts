import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AdminCalls } from '@vuka/contracts';
import type { Result } from '@vuka/domain';
import { newCallContext } from '@vuka/http';
import { listAuditEntries, Reseal } from '@vuka/persistence';
import { Cipher, type CipherKey, WakeSignal, WebhookCipher } from '@vuka/runtime';
import { Webhook } from 'standardwebhooks';

import { DeliveryFixture, DOWN, TRIES } from '../testing/delivery-fixture.spec-support.js';
import { DeliveryLogStore, ResendDeliveries } from '../log/index.js';
import { RotateWebhookSecret, WebhookSecretStore } from '../secrets/index.js';
import { testWebhookCipher } from '../testing/notifier.spec-support.js';
import { sealedColumns } from './sealed-columns.js';
import { type WebhookAdminMethods, WebhookMethods } from './webhook-methods.js';

const HOUR_MS = 3_600_000;
const ALL_OF_ONE = {
  partner_id: 1,
  transaction_code: null,
  order_id: null,
  state: null,
  event: null,
  from: null,
  before: null,
  cursor: null,
  limit: 10,
};

let fixture: DeliveryFixture;

beforeAll(async () => {
  fixture = await DeliveryFixture.start();
}, 60_000);
afterAll(() => fixture.stop());
beforeEach(() => fixture.clear());

type Calls = AdminCalls<WebhookAdminMethods>;

/** Through the schemas, as remote callers. */
function admin(): Calls {
  const { db, cipher, clock } = fixture;
  const secrets = new WebhookSecretStore(db);
  const { methods } = new WebhookMethods(
    new DeliveryLogStore(db),
    new ResendDeliveries(db, new WakeSignal(), clock),
    new RotateWebhookSecret(secrets, cipher, clock),
  );
  const call =
    (method: { args: { parse(args: unknown[]): unknown[] }; run(...args: never[]): unknown }) =>
    (...args: unknown[]) =>
      method.run(...(method.args.parse(args) as never[]));
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, call(method as never)]),
  ) as unknown as Calls;
}

const by = { by: 'Ann Otieno', reason: 'ticket 7' };
const rotation = { ...by, partnerId: 1, overlapHours: 24, force: false };

const valueOf = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};

/** Newest first. Audit entries survive between tests: nobody can delete them. */
const lastAuditEntries = (count: number) => listAuditEntries(fixture.db, { limit: count });

/** A receiver with this secret accepts the last webhook. */
function takes(secret: string): boolean {
  const { headers, body } = fixture.posted.at(-1)!;
  try {
    new Webhook(secret).verify(body, { ...headers });
    return true;
  } catch {
    return false;
  }
}

async function post(): Promise<string> {
  await fixture.tell({ transactionId: (nextTransaction += 1) });
  await fixture.deliver(1, 0);
  return fixture.posted.at(-1)!.headers['webhook-signature']!;
}
let nextTransaction = 100;

describe('a webhook secret', () => {
  it('is rotated: both secrets sign while both are valid, the new one first; afterwards only the new one', async () => {
    const first = await fixture.secrets.run(1);
    const { secret, previous_until: until } = valueOf(await admin().rotateSecret(rotation));
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secret).not.toBe(first);
    expect(until).toBe(new Date(fixture.clock.now().getTime() + 24 * HOUR_MS).toISOString());
    const [current, previous, ...more] = (await post()).split(' ');
    expect([current?.slice(0, 3), previous?.slice(0, 3), more]).toEqual(['v1,', 'v1,', []]);
    expect([takes(secret), takes(first)]).toEqual([true, true]);
    // The new secret's signature is first.
    const { headers, body } = fixture.posted.at(-1)!;
    expect(
      new Webhook(secret).sign(headers['webhook-id']!, new Date(Number(headers['webhook-timestamp']) * 1000), body),
    ).toBe(current);
    expect(await fixture.secrets.run(1)).toBe(secret);
    await fixture.db.query('update webhook_secrets set previous_until = $1', [fixture.clock.now()]);
    expect((await post()).split(' ')).toHaveLength(1);
    expect([takes(secret), takes(first)]).toEqual([true, false]);
  });

  it('is not rotated again while two are valid, unless the older one ends now', async () => {
    const first = await fixture.secrets.run(1);
    const second = valueOf(await admin().rotateSecret(rotation)).secret;
    const refused = await admin().rotateSecret(rotation);
    expect(refused).toMatchObject({ ok: false, error: { code: 'request_in_progress' } });
    expect(await fixture.secrets.run(1)).toBe(second);
    const third = valueOf(await admin().rotateSecret({ ...rotation, force: true })).secret;
    await post();
    expect([takes(third), takes(second), takes(first)]).toEqual([true, true, false]);
    const last = valueOf(await admin().rotateSecret({ ...rotation, overlapHours: 0 }));
    await post();
    expect([last.previous_until, takes(last.secret), takes(third)]).toEqual([null, true, false]);
  });

  it('is made by a rotation if there was none, and two rotations at once both leave a working secret', async () => {
    const { secret, previous_until: until } = valueOf(await admin().rotateSecret(rotation));
    expect([await fixture.secrets.run(1), until]).toEqual([secret, null]);
    const both = await Promise.all([admin().rotateSecret(rotation), admin().rotateSecret(rotation)]);
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await fixture.secrets.run(1)).toBe(valueOf(both.find(({ ok }) => ok)!).secret);
  });

  it('is rotated with who and why, and the record has no secret', async () => {
    const { secret } = valueOf(await admin().rotateSecret(rotation));
    const [act] = await lastAuditEntries(1);
    expect(act).toMatchObject({
      by: 'Ann Otieno',
      reason: 'ticket 7',
      act: 'webhook_secret.rotated',
      partnerId: 1,
      details: { overlap_hours: 24, forced: false },
    });
    expect(JSON.stringify(act)).not.toContain(secret.slice(6, 20));
    expect(() => admin().rotateSecret({ ...rotation, reason: '' })).toThrow();
    expect(() => admin().rotateSecret({ ...rotation, overlapHours: 721 })).toThrow();
  });
});

describe('what notifier has sealed', () => {
  it('opens without the old keys, once it was sealed anew: secrets, both of a rotation, bodies and URLs', async () => {
    await fixture.tell({
      transactionId: 41,
      url: testWebhookCipher.sealUrl(1, 'https://a.example/hooks?token=s3cret'),
    });
    await fixture.secrets.run(1);
    const { secret } = valueOf(await admin().rotateSecret(rotation));
    const [before] = valueOf(await fixture.operations.listDeliveries(ALL_OF_ONE, newCallContext({}))).deliveries;
    const stored = await fixture.db.query<{ text: string }>('select body || callback_url as text from deliveries');
    expect(JSON.stringify(stored)).not.toMatch(/s3cret|transaction_code/);
    const next = { id: 'k2', key: Buffer.alloc(32, 9) };
    const ciphers = (...keys: CipherKey[]) =>
      [new Cipher([next, ...keys.slice(0, 1)]), new WebhookCipher([next, ...keys.slice(1)])] as const;
    const [cipher, told] = ciphers({ id: 'k1', key: Buffer.alloc(32, 7) }, { id: 'w1', key: Buffer.alloc(32, 5) });
    const reseal = new Reseal(fixture.db, fixture.clock, sealedColumns(cipher, told));
    const views = await reseal.run({ ...by, begin: true });
    expect(views.map(({ column, resealed, unopened, done }) => [column, resealed, unopened, done])).toEqual([
      ['webhook_secrets.sealed_secret', 1, 0, true],
      ['webhook_secrets.previous_sealed_secret', 1, 0, true],
      ['deliveries.body', 1, 0, true],
      ['deliveries.callback_url', 1, 0, true],
    ]);
    const [alone, aloneTold] = ciphers();
    fixture.cipher = alone;
    fixture.told = aloneTold;
    expect(await fixture.secrets.run(1)).toBe(secret);
    expect(valueOf(await fixture.operations.listDeliveries(ALL_OF_ONE, newCallContext({}))).deliveries).toEqual([
      before,
    ]);
    await fixture.deliver(1, 0);
    expect([fixture.posted.at(-1)?.url, takes(secret)]).toEqual(['https://a.example/hooks?token=s3cret', true]);
  });
});

describe('partners’ deliveries in the hands of the platform’s people', () => {
  it('are shown without secrets and numbers, and sent again with name and reason', async () => {
    fixture.answers.set('dead.example', DOWN);
    for (const transactionId of [1, 2]) await fixture.tell({ transactionId, host: 'dead.example' });
    await fixture.tell({ transactionId: 3, partnerId: 2, host: 'dead.example' });
    await fixture.deliver(TRIES);
    const { deliveries, next_cursor: cursor } = valueOf(
      await admin().deliveries({ partnerId: 1, state: 'failed', limit: 1 }),
    );
    expect(deliveries).toEqual([
      expect.objectContaining({
        webhook_id: '2_1',
        state: 'failed',
        host: 'dead.example',
        expired: false,
        attempts: TRIES,
      }),
    ]);
    expect(JSON.stringify(deliveries)).not.toMatch(/hooks|payload|naïve/);
    expect(
      valueOf(await admin().deliveries({ partnerId: 1, limit: 1, cursor: cursor! })).deliveries.map(
        ({ webhook_id: id }) => id,
      ),
    ).toEqual(['1_1']);
    expect(
      valueOf(await admin().deliveries({ partnerId: 1, code: 'order-1', limit: 9 })).deliveries.map(
        ({ webhook_id: id }) => id,
      ),
    ).toEqual(['1_1']);

    fixture.answers.clear();
    const deliveryId = deliveries[0]!.id;
    expect(await admin().resend({ ...by, partnerId: 2, deliveryId })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    expect(valueOf(await admin().resend({ ...by, partnerId: 1, deliveryId }))).toMatchObject({ state: 'pending' });
    expect((await lastAuditEntries(1))[0]).toMatchObject({
      act: 'webhooks.resent',
      by: 'Ann Otieno',
      partnerId: 1,
      subject: `delivery ${deliveryId}`,
      details: { webhook_id: '2_1' },
    });
    expect(valueOf(await admin().resendFailed({ ...by, partnerId: 1 }))).toEqual({ resent: 1, next_cursor: null });
    expect((await lastAuditEntries(1))[0]).toMatchObject({
      act: 'webhooks.resent',
      subject: 'deliveries that are exhausted',
      details: { resent: 1 },
    });
    await fixture.deliver();
    expect(valueOf(await admin().deliveries({ partnerId: 1, limit: 9 })).deliveries.map(({ state }) => state)).toEqual([
      'delivered',
      'delivered',
    ]);
    expect(valueOf(await admin().deliveries({ partnerId: 2, limit: 9 })).deliveries.map(({ state }) => state)).toEqual([
      'failed',
    ]);
  });
});
