import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  adminAll,
  ledgerCheck,
  openFixture,
  ProviderBooks,
  FIXTURE_WITHIN_MS,
  type Fixture,
  until,
  watchStatus,
} from '@vuka/testing';

import { connectToRunning } from './superuser.spec-support.js';

const PAGE = join(import.meta.dirname, '../../../docs/operators/backups.md');
const BY = ['--reason', 'restore, ticket 120', '--by', 'Ann Otieno'] as const;
const SEEN_WITHIN_MS = 60_000;
/** Accepted and paid after the restore's point in time, so forgotten. */
const FORGOTTEN = { amount: 1_200, account_number: '1000057890', bank_code: '01', reference: 'after-the-backup' };

interface Key {
  readonly visible_prefix: string;
  readonly state: string;
}

let fixture: Fixture;
let backup: string;
let revoked: string;

beforeAll(async () => {
  fixture = await openFixture();
  backup = await mkdtemp(join(tmpdir(), 'vuka-backup-'));
}, FIXTURE_WITHIN_MS);

afterAll(async () => {
  await fixture.end();
  await rm(backup, { recursive: true, force: true });
}, 60_000);

const database = (): string => join(fixture.vuka.dataDir, 'postgres');

/** Keeps owners and modes: PostgreSQL refuses a folder of another owner. */
const copy = (from: string, to: string): Promise<unknown> => promisify(execFile)('cp', ['-a', from, to]);

async function statusBy(key: string): Promise<number> {
  const answer = await fetch(`${fixture.vuka.baseUrl}/v1/status`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ transaction_code: 'nothing' }),
  });
  return answer.status;
}

async function paymentsOf(account: string): Promise<number> {
  const book = await new ProviderBooks(fixture.vuka).entries();
  return book.filter(({ status, recipient }) => status === 'PAID' && recipient.account_number === account).length;
}

describe('a restore to an earlier moment, by the steps of docs/operators/backups.md', () => {
  it('finds what happened after the moment and is missing after the restore', async () => {
    const { one, two, vuka } = fixture;
    const [issued] = await adminAll<{ key: string; issued: Key }>(vuka, [
      ['key-issue', String(one.partner.id), '--kind', 'consumer', ...BY],
    ]);
    revoked = issued?.key ?? '';
    expect(await statusBy(revoked)).toBe(404);
    expect(await vuka.stop()).toBe(0);
    await copy(database(), join(backup, 'postgres'));
    await vuka.restart();

    // After that moment: a key is revoked, a partner suspended, a payout made.
    await adminAll(vuka, [
      ['key-revoke', issued?.issued.visible_prefix ?? '', ...BY],
      ['partner-suspend', String(two.partner.id), ...BY],
    ]);
    await until(async () => (await statusBy(revoked)) === 401, { withinMs: SEEN_WITHIN_MS, what: 'the key is shut' });
    expect((await one.bankTransfer('KES', FORGOTTEN)).status).toBe(200);
    await watchStatus(one, FORGOTTEN.reference, 'COMPLETE', SEEN_WITHIN_MS);
    expect(await paymentsOf(FORGOTTEN.account_number)).toBe(1);

    expect(await vuka.stop()).toBe(0);
    await rm(database(), { recursive: true });
    await copy(join(backup, 'postgres'), database());
    const [{ keys = [] } = {}, { partner } = {}] = await adminAll<{ keys?: Key[]; partner?: { status: string } }>(
      vuka,
      [
        ['keys', String(one.partner.id)],
        ['partner', String(two.partner.id)],
      ],
    );
    // Step 4 is needed: the key would open again, and the partner could pay again.
    expect(keys.find(({ visible_prefix }) => visible_prefix === issued?.issued.visible_prefix)?.state).toBe('live');
    expect(partner?.status).toBe('active');
    await adminAll(vuka, [
      ['key-revoke', issued?.issued.visible_prefix ?? '', ...BY],
      ['partner-suspend', String(two.partner.id), ...BY],
      ['switch-off', 'CELO', ...BY],
    ]);
  }, 240_000);

  it('is started with every revocation and suspension repeated, before anybody gets access', async () => {
    const { one, two, vuka } = fixture;
    await vuka.restart();
    expect(await statusBy(revoked)).toBe(401);
    const refused = await two.bankTransfer('KES', { ...FORGOTTEN, reference: 'of-the-suspended' });
    expect(refused.status).toBe(403);
    expect(await one.status(FORGOTTEN.reference)).toBeNull();
  }, 120_000);

  it('raises every sequence that the page names, which are all sequences of the services', async () => {
    const { vuka } = fixture;
    const named = [
      ...(await readFile(PAGE, 'utf8')).matchAll(/`([a-z]+\.[a-z_]+_(?:indexes|ids|numbers|blocks))`/g),
    ].map(([, name]) => name ?? '');
    const superuser = await connectToRunning(vuka.dataDir);
    const found = await superuser.query<{ name: string }>(
      // Identity columns are not included: their ids stay inside the service, or only name rows.
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'S' and n.nspname = any('{gateway,payments,offramp,checkout,notifier}')
         and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('i', 'a'))
       order by 1`,
    );
    expect([...new Set(named)].sort()).toEqual(found.map(({ name }) => name));
    for (const name of new Set(named))
      await superuser.query(`select setval('${name}', 10000 + (select last_value from ${name}))`);
    for (const schema of ['gateway', 'payments', 'offramp', 'checkout', 'notifier', 'admin'])
      await superuser.query(`select ${schema}.begin_seal_epoch('restore, ticket 120')`);
    await superuser.close();
    expect(await vuka.stop()).toBe(0);
    await vuka.restart();
  }, 120_000);

  it('pays nothing twice that is sent again with its reference', async () => {
    const { one, vuka } = fixture;
    expect((await one.bankTransfer('KES', FORGOTTEN)).status).toBe(200);
    await watchStatus(one, FORGOTTEN.reference, 'COMPLETE', SEEN_WITHIN_MS);
    expect(await paymentsOf(FORGOTTEN.account_number)).toBe(1);
    expect(await ledgerCheck(vuka)).toMatchObject({ code: 0 });
  }, 180_000);
});
