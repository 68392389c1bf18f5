import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSettings } from '@vuka/config';
import type { AdminCalls, Envelope, OpenAdmin } from '@vuka/contracts';
import { CURRENCIES, type Result } from '@vuka/domain';
import { listAuditEntries, type Database } from '@vuka/persistence';
import { ManualClock } from '@vuka/runtime';
import { testContext } from '@vuka/service-host/test-context';

import { refusalOf, valueOf } from '../calls/results.spec-support.js';
import { startGatewayTables, type GatewayTables } from '../testing/gateway-database.spec-support.js';
import { PEPPER, silentLog } from '../testing/gateway.spec-support.js';
import { openGatewayAdmin, type GatewayAdminMethods } from './gateway-admin.js';
import type { PartnerView } from './partner-view.js';

const BY = { by: 'Asha', reason: 'ticket 7' };
const START = new Date('2026-11-22T10:00:00Z');
const HOOK = 'https://example.com/hooks/vuka';

let tables: GatewayTables;
let db: Database;
let clock: ManualClock;
let open: OpenAdmin<GatewayAdminMethods>;
let admin: AdminCalls<GatewayAdminMethods>;
let names = 0;

beforeAll(async () => {
  tables = await startGatewayTables();
  ({ db } = tables);
  clock = new ManualClock(START);
  open = await openGatewayAdmin({
    database: tables.config,
    settings: loadSettings({ WEBHOOK_ALLOW_PRIVATE: 'false' }),
    currencies: CURRENCIES,
    keyPeppers: PEPPER,
    cipher: testContext().cipher,
    webhookCipher: testContext().webhookCipher,
    clock,
    log: silentLog,
    providerIds: [],
  });
  admin = callsOf(open.methods);
}, 60_000);

afterAll(async () => {
  await open.close();
  await tables.stop();
}, 30_000);

beforeEach(() => db.query('truncate outbox'));

/** As for an operator: arguments are validated. */
function callsOf(methods: GatewayAdminMethods): AdminCalls<GatewayAdminMethods> {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: readonly unknown[]) =>
      (method.run as (...given: unknown[]) => Promise<unknown>)(...(method.args.parse(args) as unknown[])),
  ]);
  return Object.fromEntries(entries) as AdminCalls<GatewayAdminMethods>;
}

const newPartner = async (): Promise<number> =>
  valueOf(await admin.createPartner({ name: `Partner ${String(++names)}`, email: 'p@example.com', ...BY })).partner_id;
const actsOf = async (partnerId: number): Promise<object[]> =>
  (await listAuditEntries(db, { partnerId, limit: 50 }))
    .map(({ act, by, reason, subject, details }) => ({ act, by, reason, subject, details }))
    .reverse();
const told = async (): Promise<Envelope[]> =>
  (await db.query<{ envelope: string }>('select envelope from outbox order by xid, id')).map(
    ({ envelope }) => JSON.parse(envelope) as Envelope,
  );

describe('a partner', () => {
  it('is made active, without keys, by a name of its own', async () => {
    const made = valueOf(await admin.createPartner({ name: 'Kiosk Ltd', email: 'ops@kiosk.example', ...BY }));
    expect(made).toEqual({
      partner_id: expect.any(Number),
      name: 'Kiosk Ltd',
      email: 'ops@kiosk.example',
      status: 'active',
      suspended_at: null,
      created_at: clock.now().toISOString(),
      webhook: null,
      webhook_disabled: null,
      own_terms: false,
    });
    expect(await admin.listKeys(made.partner_id)).toEqual([]);
    expect(await actsOf(made.partner_id)).toEqual([
      { act: 'partner.created', ...BY, subject: `partner ${String(made.partner_id)}`, details: { name: 'Kiosk Ltd' } },
    ]);
    expect(refusalOf(await admin.createPartner({ name: 'Kiosk Ltd', email: 'other@example.com', ...BY }))).toEqual({
      code: 'invalid_request',
      message: 'A partner with the name "Kiosk Ltd" exists already',
    });
    expect(await told()).toEqual([]);
    for (const idOrName of [made.partner_id, 'Kiosk Ltd']) expect(valueOf(await admin.partner(idOrName))).toEqual(made);
    expect(refusalOf(await admin.partner('Nobody')).code).toBe('not_found');
  });

  it('is listed newest first, page by page', async () => {
    const ids = [await newPartner(), await newPartner(), await newPartner()].reverse();
    const first = await admin.partners({ limit: 2 });
    expect([first.partners.map(({ partner_id }) => partner_id), first.more]).toEqual([ids.slice(0, 2), true]);
    const next = await admin.partners({ limit: 500, before: ids[1]! });
    expect([next.partners[0]?.partner_id, next.more]).toEqual([ids[2], false]);
  });

  it('is suspended and resumed, each once, with its act and its event in one sequence', async () => {
    const id = await newPartner();
    expect(valueOf(await admin.suspendPartner({ partnerId: id, ...BY }))).toMatchObject({
      status: 'suspended',
      suspended_at: clock.now().toISOString(),
    });
    expect(refusalOf(await admin.suspendPartner({ partnerId: id, ...BY }))).toEqual({
      code: 'invalid_request',
      message: `Partner ${String(id)} is suspended since ${clock.now().toISOString()}`,
    });
    expect(valueOf(await admin.resumePartner({ partnerId: id, ...BY }))).toMatchObject({
      status: 'active',
      suspended_at: null,
    });
    expect(refusalOf(await admin.resumePartner({ partnerId: id, ...BY })).message).toBe(
      `Partner ${String(id)} is not suspended`,
    );
    expect(
      (await told()).map(({ type, key, sequence, producer, data }) => ({ type, key, sequence, producer, data })),
    ).toEqual([
      {
        type: 'partner.suspended',
        key: String(id),
        sequence: 1,
        producer: 'gateway',
        data: { partner_id: id, status: 'suspended' },
      },
      {
        type: 'partner.resumed',
        key: String(id),
        sequence: 2,
        producer: 'gateway',
        data: { partner_id: id, status: 'active' },
      },
    ]);
    expect((await actsOf(id)).slice(1)).toEqual([
      { act: 'partner.suspended', ...BY, subject: `partner ${String(id)}`, details: { sequence: 1 } },
      { act: 'partner.resumed', ...BY, subject: `partner ${String(id)}`, details: { sequence: 2 } },
    ]);
  });

  it('is suspended by one of many requests at once, and its events follow its sequence', async () => {
    const id = await newPartner();
    for (let round = 0; round < 5; round += 1) {
      const suspended = await Promise.all(
        Array.from({ length: 6 }, () => admin.suspendPartner({ partnerId: id, ...BY })),
      );
      const resumed = await Promise.all(Array.from({ length: 6 }, () => admin.resumePartner({ partnerId: id, ...BY })));
      expect([suspended, resumed].map((all) => all.filter(({ ok }) => ok).length)).toEqual([1, 1]);
    }
    await Promise.all(
      Array.from({ length: 30 }, (_, place) =>
        place % 2 === 0
          ? admin.suspendPartner({ partnerId: id, ...BY })
          : admin.resumePartner({ partnerId: id, ...BY }),
      ),
    );
    const events = await told();
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, place) => place + 1));
    expect(events.map(({ type }) => type)).toEqual(
      events.map((_, place) => (place % 2 === 0 ? 'partner.suspended' : 'partner.resumed')),
    );
    expect(events.length).toBeGreaterThan(10);
    expect((await actsOf(id)).length).toBe(events.length + 1);
  }, 30_000);

  it('is not suspended and sends no event if its audit entry cannot be written', async () => {
    const id = await newPartner();
    await tables.admin.query('alter table audit_entries rename to audit_entries_away');
    await expect(admin.suspendPartner({ partnerId: id, ...BY })).rejects.toThrow();
    await tables.admin.query('alter table audit_entries_away rename to audit_entries');
    expect([valueOf(await admin.partner(id)).status, await told()]).toEqual(['active', []]);
  });

  it('that does not exist cannot be changed', async () => {
    const partnerId = 999_999;
    const answers = [
      await admin.suspendPartner({ partnerId, ...BY }),
      await admin.resumePartner({ partnerId, ...BY }),
      await admin.setWebhook({ partnerId, url: HOOK, ...BY }),
      await admin.terms(partnerId),
      await admin.setTerms({ partnerId, terms: {}, ...BY }),
    ];
    for (const answer of answers)
      expect(refusalOf(answer as Result<unknown>)).toEqual({
        code: 'not_found',
        message: 'There is no partner 999999',
      });
    expect(await actsOf(partnerId)).toEqual([]);
  });

  it.each([
    ['no reason', { partnerId: 1, by: 'Asha', reason: ' ' }],
    ['nobody', { partnerId: 1, by: '', reason: 'ticket 7' }],
    ['two lines', { partnerId: 1, by: 'Asha', reason: 'a\nb' }],
    ['no partner', { partnerId: 0, ...BY }],
  ])('is not suspended for %s', (_, act) => {
    expect(() => admin.suspendPartner(act)).toThrow();
  });
});

describe('a default webhook that people set', () => {
  const webhookOf = ({ webhook, webhook_disabled }: PartnerView): unknown[] => [webhook, webhook_disabled];

  it('is kept byte for byte, shown and recorded without its query, and cleared', async () => {
    const id = await newPartner();
    const url = `${HOOK}?token=sesame#part`;
    const set = valueOf(await admin.setWebhook({ partnerId: id, url, ...BY }));
    expect(webhookOf(set)).toEqual([{ url: `${HOOK}?…`, set_at: clock.now().toISOString() }, null]);
    const [stored] = await db.query<{ url: string }>('select webhook_url as url from partners where id = $1', [id]);
    expect(stored?.url).not.toContain('sesame');
    expect(testContext().webhookCipher.openUrl(id, stored?.url ?? '')).toBe(url);
    expect(valueOf(await admin.setWebhook({ partnerId: id, url: null, ...BY })).webhook).toBeNull();
    const record = (await actsOf(id)).slice(1);
    expect(record).toEqual([
      { act: 'webhook.set', ...BY, subject: `partner ${String(id)}`, details: { before: null, after: `${HOOK}?…` } },
      {
        act: 'webhook.cleared',
        ...BY,
        subject: `partner ${String(id)}`,
        details: { before: `${HOOK}?…`, after: null },
      },
    ]);
    expect(JSON.stringify(record)).not.toContain('sesame');
  });

  it('must be a URL that may be called', async () => {
    const id = await newPartner();
    for (const url of ['https://127.0.0.1/', 'http://example.com/', 'nonsense'])
      expect(refusalOf(await admin.setWebhook({ partnerId: id, url, ...BY })).code).toBe('invalid_callback_url');
    expect((await actsOf(id)).length).toBe(1);
  });
});

describe('terms that are agreed with a partner', () => {
  const ROWS = {
    limits: [{ operation: 'bank_transfer', currency: 'KES', max: '900' }],
    service_fees: [{ operation: 'disburse', currency: 'KES', flat: '1.5', basis_points: 25 }],
  };

  it('are shown beside the deployment’s, recorded, and given up again', async () => {
    const id = await newPartner();
    const set = valueOf(await admin.setTerms({ partnerId: id, terms: ROWS, ...BY }));
    expect(set).toMatchObject({ partner_id: id, terms: ROWS, problem: null });
    expect(set.limits.filter(({ own }) => own)).toEqual([
      expect.objectContaining({ operation: 'bank_transfer', currency: 'KES', max: '900.00' }),
    ]);
    expect(set.fees.filter(({ own }) => own)).toEqual([
      { operation: 'disburse', currency: 'KES', paid_in: 'KES', flat: '1.50', basis_points: 25, own: true },
    ]);
    expect(valueOf(await admin.terms(id))).toEqual(set);
    expect(valueOf(await admin.partner(id)).own_terms).toBe(true);
    const cleared = valueOf(await admin.setTerms({ partnerId: id, terms: null, ...BY }));
    expect([
      cleared.terms,
      cleared.limits.length,
      cleared.limits.some(({ own }) => own),
      cleared.fees.some(({ own }) => own),
    ]).toEqual([null, set.limits.length, false, false]);
    expect((await actsOf(id)).slice(1)).toEqual([
      { act: 'terms.set', ...BY, subject: `partner ${String(id)}`, details: { terms: ROWS } },
      { act: 'terms.cleared', ...BY, subject: `partner ${String(id)}`, details: {} },
    ]);
  });

  it('are refused with the row and the rule, and the earlier terms stay', async () => {
    const id = await newPartner();
    valueOf(await admin.setTerms({ partnerId: id, terms: ROWS, ...BY }));
    const refused = async (terms: Record<string, unknown>): Promise<string> =>
      refusalOf(await admin.setTerms({ partnerId: id, terms, ...BY })).message;
    expect(
      await refused({ limits: [...ROWS.limits, { operation: 'payout', currency: 'KES', max: '99999999' }] }),
    ).toMatch(/^limits\.1: max must not be above the network's own /);
    expect(await refused({ fees: [] })).toMatch(/^the file: /);
    expect(await refused({ service_fees: [{ operation: 'disburse', currency: 'KES', flat: '-1' }] })).toMatch(
      /^service_fees\.0: flat /,
    );
    const many = Array.from({ length: 500 }, () => ({
      operation: 'bank_transfer',
      currency: 'KES',
      min: '100.00',
      max: '250000.00',
    }));
    expect(await refused({ limits: many.slice(0, 210) })).toBe('the file: must have at most 16000 characters');
    expect(valueOf(await admin.terms(id)).terms).toEqual(ROWS);
    expect((await actsOf(id)).length).toBe(2);
    // A page of the longest audit entries still fits into one answer (4 MiB).
    valueOf(
      await admin.setTerms({
        partnerId: id,
        terms: { limits: many.slice(0, 195) },
        by: BY.by,
        reason: 'x'.repeat(1_000),
      }),
    );
    const [longest] = await admin.acts({ partnerId: id, limit: 1 });
    expect(JSON.stringify(longest).length).toBeGreaterThan(15_000);
    expect(JSON.stringify(longest).length * 201).toBeLessThan(4 * 1024 * 1024);
  });

  it('that no longer fit the deployment say why', async () => {
    const id = await newPartner();
    await db.query(
      `update partners set terms = '{"limits": [{"operation": "bank_transfer", "currency": "KES", "min": "5000000"}]}' where id = $1`,
      [id],
    );
    expect(valueOf(await admin.terms(id))).toMatchObject({
      problem: expect.stringMatching(/^limits\.0: min must be above 0 and not above max/),
      limits: [],
      fees: [],
    });
  });
});

it('an audit entry is never changed', async () => {
  const id = await newPartner();
  const update = ['update audit_entries set reason = $2 where partner_id = $1', [id, 'another']] as const;
  await expect(db.query(...update)).rejects.toThrow('permission denied');
  await expect(tables.admin.query(...update)).rejects.toThrow('audit entries are a record');
});
