import { createHash } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderValues } from '@vuka/payouts';
import type { Database } from '@vuka/persistence';
import { ManualClock } from '@vuka/runtime';
import { PROVIDER_VALUES } from '@vuka/service-host';

import { partsOn } from '../testing/parts.spec-support.js';
import { type PaymentsDatabase, startPaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { KEPT_MS, KeptValueStore } from './kept-value.store.js';

const START = new Date('2026-11-20T12:00:00.000Z');
const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex');

let pg: PaymentsDatabase;
let clock: ManualClock;

/** Like a process of its own: nothing in memory yet. */
const process = (db: Database = pg.db): { values: ProviderValues; store: KeptValueStore } => {
  const values = new ProviderValues(clock);
  return { values, store: partsOn(db, clock, [], [PROVIDER_VALUES, values]).get(KeptValueStore) };
};
const kept = async (): Promise<string[]> =>
  (await pg.db.query<{ value: string }>('select value from provider_values order by value')).map(({ value }) => value);

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
beforeEach(async () => {
  clock = new ManualClock(START);
  await pg.db.query('delete from provider_values');
});
afterAll(() => pg.stop());

describe('what an adapter keeps', () => {
  it('is there for every process, after a restart too', async () => {
    await process().values.keep(keyOf('a'), 'RCP_1');
    expect(await process().values.read(keyOf('a'))).toBe('RCP_1');
    expect(await process().values.read(keyOf('b'))).toBeNull();
  });

  it('is replaced by what is kept later, at whoever has it in memory already', async () => {
    const { values } = process();
    await values.keep(keyOf('a'), 'RCP_1');
    await values.keep(keyOf('a'), 'RCP_2');
    expect([await values.read(keyOf('a')), await process().values.read(keyOf('a'))]).toEqual(['RCP_2', 'RCP_2']);
  });

  it('is not relied on once it is old, and is forgotten then', async () => {
    const { values, store } = process();
    await values.keep(keyOf('old'), 'RCP_OLD');
    clock.advance(KEPT_MS - 1);
    await values.keep(keyOf('new'), 'RCP_NEW');
    expect(await process().values.read(keyOf('old'))).toBe('RCP_OLD');
    expect(await store.forget()).toBe(0);
    clock.advance(1);
    for (const one of [values, process().values]) expect(await one.read(keyOf('old'))).toBeNull();
    expect(await store.forget()).toBe(1);
    expect(await kept()).toEqual(['RCP_NEW']);
  });

  it('has a bound: the oldest of too many are forgotten', async () => {
    const { values, store } = process();
    for (const name of ['a', 'b', 'c', 'd']) {
      await values.keep(keyOf(name), name);
      clock.advance(1_000);
    }
    expect(await store.forget(2)).toBe(2);
    expect(await kept()).toEqual(['c', 'd']);
    expect(await store.forget(2)).toBe(0);
  });

  it('has no account number for a key', async () => {
    await process().values.keep('0123456789', 'RCP_1');
    expect(await kept()).toEqual([]);
  });

  it('is as if there were nothing while the database is away', async () => {
    const db = await pg.connect();
    const { values } = process(db);
    await db.close();
    expect(await values.read(keyOf('a'))).toBeNull();
    await values.keep(keyOf('a'), 'RCP_1');
    expect(await values.read(keyOf('a'))).toBe('RCP_1');
  });
});
