import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listAuditEntries, type Database } from '@vuka/persistence';
import { ManualClock } from '@vuka/runtime';

import { refusalOf, valueOf } from '../calls/results.spec-support.js';
import { parseApiKey } from '../keys/api-key.js';
import { AuthenticateCaller } from '../keys/authenticate-caller.js';
import { KeysStore } from '../keys/keys.store.js';
import { EnsureSandboxPartner } from '../partners/ensure-sandbox-partner.js';
import { PartnersStore } from '../partners/partners.store.js';
import { startGatewayTables, type GatewayTables } from '../testing/gateway-database.spec-support.js';
import { CHECKOUT_KEY, CONSUMER_KEY, PEPPER } from '../testing/gateway.spec-support.js';
import { KeyAdmin, keyAdminMethods, MOST_LIVE_KEYS, type KeyToMake, type MadeKey } from './key-admin.js';

const BY = { by: 'Asha', reason: 'ticket 7' };
const HOUR_MS = 3_600_000;

let tables: GatewayTables;
let db: Database;
let clock: ManualClock;
let admin: KeyAdmin;
let authenticate: AuthenticateCaller;
let partners: PartnersStore;
let partnerId: number;
let names = 0;

beforeAll(async () => {
  tables = await startGatewayTables();
  ({ db } = tables);
}, 60_000);

afterAll(() => tables.stop(), 30_000);

beforeEach(async () => {
  clock = new ManualClock(new Date('2026-11-22T10:00:00Z'));
  admin = new KeyAdmin(db, { env: 'sandbox' }, PEPPER, clock);
  const keys = new KeysStore(db);
  authenticate = new AuthenticateCaller({ env: 'sandbox' }, PEPPER, clock, keys);
  partners = new PartnersStore(db);
  partnerId = await newPartner();
});

afterEach(() => db.query('delete from api_keys'));

const newPartner = (): Promise<number> =>
  partners.ensurePartner({ name: `Partner ${String(++names)}`, email: 'p@example.com' }, [], clock.now());

const issue = async (given: Partial<KeyToMake> = {}): Promise<MadeKey> =>
  valueOf(await admin.issueKey({ partnerId, kind: 'consumer', ...BY, ...given }));
const opens = async (key: string): Promise<boolean> => {
  clock.advance(5_000);
  return (await authenticate.run(key)).ok;
};
const actsOf = async (): Promise<object[]> =>
  (await listAuditEntries(db, { partnerId, limit: 50 })).map(({ act, by, reason, subject, details }) => ({
    act,
    by,
    reason,
    subject,
    details,
  }));

describe('a key that is issued', () => {
  it('has 256 random bits, works for its kind, and is stored as a hash that does not work as a key', async () => {
    const { key, issued, replaced } = await issue({
      label: 'shop',
      scopes: ['read', 'payouts'],
      addresses: ['::ffff:192.0.2.0/120'],
      expiresAt: new Date('2026-12-01T00:00:00Z'),
    });
    expect(key).toMatch(/^vk_test_consumer_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
    expect(replaced).toBeNull();
    expect(issued).toEqual({
      visible_prefix: parseApiKey(key)?.visiblePrefix, partner_id: partnerId, kind: 'consumer', state: 'live', label: 'shop', scopes: ['payouts', 'read'], addresses: ['192.0.2.0/24'],
      created_at: '2026-11-22T10:00:00.000Z', created_by: 'Asha', expires_at: '2026-12-01T00:00:00.000Z', revoked_at: null, revoked_by: null, last_used_at: null, replaced_by: null,
    }); // prettier-ignore
    expect(await admin.listKeys(partnerId)).toEqual([issued]);
    const opened = await authenticate.run(key);
    const caller = opened.ok ? opened.value : null;
    expect(caller).toMatchObject({
      partnerId,
      kind: 'consumer',
      visiblePrefix: issued.visible_prefix,
      scopes: ['payouts', 'read'],
      suspended: false,
    });
    expect([caller?.addresses?.has('192.0.2.9'), caller?.addresses?.has('192.0.3.9')]).toEqual([true, false]);
    const [row] = await db.query<{ all: string }>('select k::text as all from api_keys k', []);
    expect(row?.all).not.toContain(key.slice(issued.visible_prefix.length + 1));
    expect(await opens(`${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`)).toBe(false);
  });

  it('is one of several of its kind, each with its own secret, and on the record without it', async () => {
    const made = [await issue(), await issue(), await issue({ kind: 'checkout', scopes: ['orders'] })];
    expect(new Set(made.map(({ key }) => key.slice(-43))).size).toBe(3);
    for (const { key } of made) expect(await opens(key)).toBe(true);
    const record = await actsOf();
    expect(record[0]).toEqual({
      act: 'key.issued',
      ...BY,
      subject: made[2]?.issued.visible_prefix,
      details: { kind: 'checkout', label: null, scopes: ['orders'], addresses: null, expires_at: null },
    });
    for (const { key } of made)
      expect(JSON.stringify([record, await admin.listKeys(partnerId)])).not.toContain(key.slice(-43));
  });

  it('is refused for an unknown partner, for invalid terms and beyond the limit, and then stores nothing', async () => {
    expect(refusalOf(await admin.issueKey({ partnerId: 9_999, kind: 'consumer', ...BY }))).toMatchObject({
      code: 'not_found',
      message: 'There is no partner 9999',
    });
    for (const given of [{ scopes: ['orders'] }, { addresses: ['192.0.2.1/24'] }, { expiresAt: clock.now() }])
      expect(refusalOf(await admin.issueKey({ partnerId, kind: 'consumer', ...BY, ...given })).code).toBe(
        'invalid_request',
      );
    expect([await admin.listKeys(partnerId), await actsOf()]).toEqual([[], []]);
  });

  it('never exceeds the limit of valid keys, even if many are made at once', async () => {
    const other = await newPartner();
    const all = await Promise.all(
      Array.from({ length: MOST_LIVE_KEYS + 5 }, () => admin.issueKey({ partnerId, kind: 'consumer', ...BY })),
    );
    expect(all.filter(({ ok }) => ok)).toHaveLength(MOST_LIVE_KEYS);
    expect(refusalOf(await admin.issueKey({ partnerId, kind: 'checkout', ...BY })).message).toMatch(
      /^The partner has 50 valid keys, and the limit is 50/,
    );
    expect((await admin.issueKey({ partnerId: other, kind: 'consumer', ...BY })).ok).toBe(true);
    const [first] = await admin.listKeys(partnerId);
    expect(refusalOf(await admin.rotateKey({ key: first!.visible_prefix, ...BY })).message).toMatch(/valid keys/);
    expect((await admin.rotateKey({ key: first!.visible_prefix, overlapHours: 0, ...BY })).ok).toBe(true);
    valueOf(await admin.revokeKey({ key: (await admin.listKeys(partnerId))[0]!.visible_prefix, ...BY }));
    expect((await admin.issueKey({ partnerId, kind: 'checkout', ...BY })).ok).toBe(true);
  });
});

describe('a key that is rotated', () => {
  it('stays valid for a day beside its replacement, which has the same rights', async () => {
    const old = await issue({ label: 'shop', scopes: ['read'], addresses: ['192.0.2.0/24'] });
    const made = valueOf(await admin.rotateKey({ key: old.issued.visible_prefix, ...BY }));
    expect(made.issued).toMatchObject({
      kind: 'consumer',
      label: 'shop',
      scopes: ['read'],
      addresses: ['192.0.2.0/24'],
      expires_at: null,
      partner_id: partnerId,
    });
    expect(made.replaced).toMatchObject({
      visible_prefix: old.issued.visible_prefix,
      state: 'live',
      replaced_by: made.issued.visible_prefix,
      expires_at: '2026-11-23T10:00:00.000Z',
      revoked_at: null,
    });
    expect([await opens(old.key), await opens(made.key)]).toEqual([true, true]);
    clock.set(new Date('2026-11-23T09:59:50Z'));
    expect(await opens(old.key)).toBe(true);
    clock.advance(5_000);
    expect([await opens(old.key), await opens(made.key)]).toEqual([false, true]);
    expect((await actsOf())[0]).toEqual({
      act: 'key.rotated', ...BY, subject: old.issued.visible_prefix,
      details: { kind: 'consumer', label: 'shop', scopes: ['read'], addresses: ['192.0.2.0/24'], expires_at: null, replaced_by: made.issued.visible_prefix, overlap_hours: 24 },
    }); // prettier-ignore
  });

  it('never lives longer because of a rotation', async () => {
    const old = await issue({ expiresAt: new Date(clock.now().getTime() + 2 * HOUR_MS) });
    expect(
      valueOf(await admin.rotateKey({ key: old.issued.visible_prefix, overlapHours: 3, ...BY })).replaced?.expires_at,
    ).toBe('2026-11-22T12:00:00.000Z');
  });

  it('is revoked at once without an overlap, whatever a gateway’s clock says', async () => {
    const old = await issue();
    const made = valueOf(await admin.rotateKey({ key: old.issued.visible_prefix, overlapHours: 0, ...BY }));
    expect(made.replaced).toMatchObject({ state: 'revoked', revoked_by: 'Asha' });
    clock.set(new Date('2026-11-22T09:00:00Z'));
    expect([await opens(old.key), await opens(made.key)]).toEqual([false, true]);
  });

  it('may get other terms of its kind', async () => {
    const old = await issue({ scopes: ['read'], addresses: ['192.0.2.0/24'] });
    expect(refusalOf(await admin.rotateKey({ key: old.issued.visible_prefix, scopes: ['orders'], ...BY })).code).toBe(
      'invalid_request',
    );
    const made = valueOf(
      await admin.rotateKey({
        key: old.issued.visible_prefix,
        scopes: null,
        addresses: null,
        label: 'all',
        expiresAt: new Date('2027-01-01T00:00:00Z'),
        ...BY,
      }),
    );
    expect(made.issued).toMatchObject({
      label: 'all',
      scopes: null,
      addresses: null,
      expires_at: '2027-01-01T00:00:00.000Z',
    });
  });

  it('is rotated once, also by two requests at once, and not after its end', async () => {
    const old = await issue();
    const both = await Promise.all([1, 2].map(() => admin.rotateKey({ key: old.issued.visible_prefix, ...BY })));
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    const again = refusalOf(await admin.rotateKey({ key: old.issued.visible_prefix, ...BY }));
    expect(again.message).toMatch(/was rotated already, and vk_test_consumer_[0-9a-f]{16} replaced it/);
    clock.advance(24 * HOUR_MS);
    expect(refusalOf(await admin.rotateKey({ key: old.issued.visible_prefix, ...BY })).message).toMatch(
      /expired at 2026-11-23T10:00:00.000Z/,
    );
    expect(refusalOf(await admin.rotateKey({ key: 'vk_test_consumer_nobody', ...BY })).code).toBe('not_found');
  });
});

describe('a key that is revoked', () => {
  it('is refused from then on, and the record says once who revoked it and why', async () => {
    const { key, issued } = await issue();
    expect(await opens(key)).toBe(true);
    expect(valueOf(await admin.revokeKey({ key: issued.visible_prefix, ...BY }))).toMatchObject({
      state: 'revoked',
      revoked_by: 'Asha',
    });
    expect(await opens(key)).toBe(false);
    expect(refusalOf(await admin.revokeKey({ key: issued.visible_prefix, ...BY }))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/was revoked at .* by Asha$/),
    });
    expect(refusalOf(await admin.rotateKey({ key: issued.visible_prefix, ...BY })).message).toMatch(/Issue a new one$/);
    expect((await actsOf()).map((act) => (act as { act: string }).act)).toEqual(['key.revoked', 'key.issued']);
  });

  it('may be named in full, and no answer repeats its secret', async () => {
    const { key } = await issue();
    const secret = key.slice(-43);
    expect(JSON.stringify(await admin.revokeKey({ key, ...BY }))).not.toContain(secret);
    for (const odd of [key, `${key} `, `x${key}`])
      expect(refusalOf(await admin.revokeKey({ key: odd, ...BY })).message).not.toContain(secret);
    expect(JSON.stringify(await actsOf())).not.toContain(secret);
  });

  it('is not made if its audit entry cannot be stored', async () => {
    const { key, issued } = await issue();
    await expect(admin.revokeKey({ key: issued.visible_prefix, by: 'Asha', reason: '' })).rejects.toThrow(
      'acts_reason_check',
    );
    expect(await opens(key)).toBe(true);
  });
});

describe('what others see of keys', () => {
  it('the account names the newest live checkout key, none where there is none', async () => {
    const shown = async (): Promise<string | undefined> =>
      (await partners.findAccount(partnerId, clock.now()))?.checkoutKeyPrefix;
    expect(await shown()).toBe('');
    const first = await issue({ kind: 'checkout' });
    clock.advance(1_000);
    const second = await issue({ kind: 'checkout', expiresAt: new Date(clock.now().getTime() + HOUR_MS) });
    clock.advance(1_000);
    const third = await issue({ kind: 'checkout' });
    await issue();
    expect(await shown()).toBe(third.issued.visible_prefix);
    await admin.revokeKey({ key: third.issued.visible_prefix, ...BY });
    expect(await shown()).toBe(second.issued.visible_prefix);
    clock.advance(HOUR_MS);
    expect(await shown()).toBe(first.issued.visible_prefix);
    await admin.revokeKey({ key: first.issued.visible_prefix, ...BY });
    expect(await shown()).toBe('');
  });

  it('the last use never moves back, and an unknown key in a batch does no harm', async () => {
    const keys = new KeysStore(db);
    const [one, two] = [await issue(), await issue()];
    const [early, late] = [new Date('2026-11-22T10:00:10Z'), new Date('2026-11-22T10:00:20Z')];
    await keys.markUsed(
      new Map([
        [one.issued.visible_prefix, late],
        ['vk_test_consumer_gone', late],
      ]),
    );
    await Promise.all([
      keys.markUsed(
        new Map([
          [one.issued.visible_prefix, early],
          [two.issued.visible_prefix, early],
        ]),
      ),
      keys.markUsed(
        new Map([
          [two.issued.visible_prefix, late],
          [one.issued.visible_prefix, early],
        ]),
      ),
    ]);
    const usedAt = new Map(
      (await admin.listKeys(partnerId)).map(({ visible_prefix, last_used_at }) => [visible_prefix, last_used_at]),
    );
    expect([usedAt.get(one.issued.visible_prefix), usedAt.get(two.issued.visible_prefix)]).toEqual([
      late.toISOString(),
      late.toISOString(),
    ]);
  });

  it('the start of a sandbox makes missing keys, and revives none', async () => {
    const ensure = new EnsureSandboxPartner({ env: 'sandbox' }, PEPPER, clock, partners, authenticate);
    const start = () =>
      ensure.run({
        name: 'Sandbox One',
        email: 'one@sandbox.invalid',
        consumer_key: CONSUMER_KEY,
        checkout_key: CHECKOUT_KEY,
      });
    expect([(await start()).ok, await opens(CONSUMER_KEY), await opens(CHECKOUT_KEY)]).toEqual([true, true, true]);
    valueOf(await admin.revokeKey({ key: 'vk_test_consumer_p1', ...BY }));
    const made = valueOf(await admin.rotateKey({ key: 'vk_test_checkout_p1', ...BY }));
    clock.advance(25 * HOUR_MS);
    expect([(await start()).ok, await opens(CONSUMER_KEY), await opens(CHECKOUT_KEY), await opens(made.key)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
});

describe('the admin API’s methods', () => {
  const methods = () => keyAdminMethods(admin);

  it('take what a command gives, and nothing else', async () => {
    const { issueKey, rotateKey, revokeKey } = methods();
    const good = { partnerId, kind: 'consumer', ...BY };
    expect(issueKey.args.safeParse([good]).success).toBe(true);
    for (const odd of [
      { ...good, kind: 'admin' },
      { ...good, reason: ' ' },
      { ...good, by: '' },
      { ...good, label: 'two\nlines' },
      { ...good, partnerId: '1' },
      { ...good, hash: 'x' },
      { partnerId, kind: 'consumer', reason: 'r' },
    ]) {
      expect([odd, issueKey.args.safeParse([odd]).success]).toEqual([odd, false]);
    }
    for (const overlapHours of [-1, 1.5, 721])
      expect(rotateKey.args.safeParse([{ key: 'k', overlapHours, ...BY }]).success).toBe(false);
    expect([issueKey.acts, rotateKey.acts, revokeKey.acts, methods().listKeys.acts]).toEqual([true, true, true, false]);
  });
});
