import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { duringOperation, type Operation, OperationDoneError } from '@vuka/runtime';

import { type AuditEntry, listAuditEntries, recordAuditEntry } from './audit-entries.js';
import { ACTS_SQL, baseline } from './baseline.js';
import { type Database } from './connection/database.js';
import { TestPostgres, type TestDatabase } from './test-postgres.js';

let server: TestPostgres;
let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  server = await TestPostgres.start();
}, 60_000);
afterAll(() => server.stop());

beforeEach(async () => {
  database = await server.database([{ name: 'payments' }]);
  db = await database.connect({ migrations: [baseline('payments', ACTS_SQL)], maxConnections: 4 });
  await db.migrate();
});
afterEach(() => database.stop());

const entry = (act: string): AuditEntry => ({
  by: 'Ann Otieno',
  act,
  partnerId: 7,
  subject: 'wallet 7',
  reason: 'ticket 7',
  at: new Date(),
});
const asked = (): Operation => ({ id: randomUUID(), role: 'money', approvedBy: 'Ben Mwangi' });
const record = (acts: readonly string[]): Promise<void> =>
  db.inTransaction(async (tx) => {
    for (const act of acts) await recordAuditEntry(tx, entry(act));
  });
const kept = async (): Promise<string[]> =>
  (await listAuditEntries(db, { limit: 100 })).map(({ act }) => act).reverse();

describe('an operation of a person', () => {
  it('is recorded with who approved it, and done once: the entries of a later try go back with what it changed', async () => {
    const operation = asked();
    await duringOperation(operation, () => record(['first', 'second']));
    await expect(duringOperation(operation, () => record(['again']))).rejects.toThrow(OperationDoneError);
    await duringOperation(asked(), () => record(['another']));
    await record(['by itself']);
    expect(await kept()).toEqual(['first', 'second', 'another', 'by itself']);
    const [last, ...before] = await listAuditEntries(db, { limit: 100 });
    expect([last?.approvedBy, ...before.map(({ approvedBy }) => approvedBy)]).toEqual([
      null,
      'Ben Mwangi',
      'Ben Mwangi',
      'Ben Mwangi',
    ]);
  });

  it('is done once by two at the same time', async () => {
    const operation = asked();
    const tries = ['one', 'two', 'three'].map((act) => duringOperation(operation, () => record([act])));
    const ended = await Promise.allSettled(tries);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of ended) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(OperationDoneError);
    expect(await kept()).toHaveLength(1);
  });

  it('goes on within its own try: several commits, and again after one that was rolled back', async () => {
    await duringOperation(asked(), async () => {
      await record(['one']);
      await expect(
        db.inTransaction(async (tx) => {
          await recordAuditEntry(tx, entry('rolled back'));
          throw new Error('a deadlock');
        }),
      ).rejects.toThrow('a deadlock');
      await record(['two']);
    });
    expect(await kept()).toEqual(['one', 'two']);
  });
});
