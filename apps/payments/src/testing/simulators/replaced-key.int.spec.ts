import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadSettings } from '@vuka/config';
import { ManualClock } from '@vuka/runtime';
import { LOGGER, SETTINGS } from '@vuka/service-host';

import { Wallets } from '../../wallets/wallets.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../payments-database.spec-support.js';
import { nextPartner } from '../payout-harness.spec-support.js';
import { type KeyedProvider, KEYED_PROVIDERS, type RunningProvider } from './keyed-providers.spec-support.js';
import { PaymentsProcess } from './payments-process.spec-support.js';
import { ownFolder, type SimulatedProvider } from './simulator-row.spec-support.js';

/**
 * A provider takes our key no longer, with payouts in its hands. Then payments is started anew with the key that took
 * its place in the secrets file.
 */
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const FUNDS = 10_000_00n;
const AMOUNT = 100_00n;
const LIMIT_MS = 120_000;

let pg: PaymentsDatabase;
let clock: ManualClock;
let folder: Awaited<ReturnType<typeof ownFolder>>;
let running: RunningProvider;
let connected: SimulatedProvider[];
beforeEach(async () => {
  pg = await startPaymentsDatabase();
  clock = new ManualClock(new Date());
  folder = await ownFolder();
  connected = [];
}, 60_000);
afterEach(async () => {
  await Promise.all(connected.map((provider) => provider.close()));
  await running.stop();
  await folder.remove();
  await pg.stopWhole();
});

describe.each(KEYED_PROVIDERS)('a key of $id that is refused', (row) => {
  const oldKey = `${row.keyPrefix}that-somebody-has-revoked`;
  const newKey = `${row.keyPrefix}that-took-its-place`;
  const alarms: unknown[] = [];
  const partner = nextPartner();
  let accepted = 0;

  /** Payments of a live deployment, as its secrets file has the key. */
  const startWith = (key: string): PaymentsProcess => {
    const provider = row.connect(running.baseUrl, key, clock);
    connected.push(provider);
    const tell = (fields: { code?: unknown }): unknown => fields.code !== undefined && alarms.push(fields.code);
    const log = { error: tell, warn: tell, info: () => undefined, debug: () => undefined };
    return new PaymentsProcess(pg.db, provider, clock, () => 1, [
      [SETTINGS, { ...loadSettings({}), env: 'live' }],
      [LOGGER, log],
    ]);
  };
  const pay = (payments: PaymentsProcess, digits: string): Promise<number> =>
    payments.accept({
      operation: 'disburse',
      partner_id: partner,
      transaction_code: `${row.id}-${accepted++}`,
      fingerprint: 'v1:x',
      currency: row.currency,
      amount_minor: String(AMOUNT),
      fee_minor: '0',
      destination: row.destinationOf(digits),
      callback_url: null,
    });
  const rounds = async (payments: PaymentsProcess, count: number, ms: number): Promise<void> => {
    for (let round = 0; round < count; round += 1) {
      await payments.round();
      await running.moveClock(ms);
    }
  };

  it(
    'fails nothing and pays nobody, and what waited goes on when it is replaced',
    async () => {
      running = await row.start({ folder: folder.folder, key: oldKey, clock });
      const before = startWith(oldKey);
      await openWallet(partner, row, oldKey);
      // One it pays when it likes, and one whose answer is lost.
      const held = await pay(before, row.untilReleased);
      const doubtful = await pay(before, '0001');
      await before.round();
      await running.stop();
      running = await row.start({ folder: folder.folder, key: newKey, clock, port: running.port });

      const late = [await pay(before, '7777'), await pay(before, '7777')];
      await rounds(before, 12, 5 * MINUTE_MS);
      expect(await statesOf([held, doubtful, ...late])).toEqual(['SUBMITTED', 'IN_DOUBT', 'QUEUED', 'QUEUED']);
      expect(alarms).toContain('provider_config_refused');
      await running.release(await attemptOf(held));
      await rounds(before, 2, 5 * MINUTE_MS);
      expect(await statesOf([held])).toEqual(['SUBMITTED']);
      expect(running.countPayments()).toBe(2);

      const afterwards = startWith(newKey);
      // What waits is tried again within a tenth of its wait, and what is out is asked about within five minutes.
      await rounds(afterwards, 12, MINUTE_MS);
      const all = [held, doubtful, ...late];
      expect(await statesOf(all)).toEqual(all.map(() => 'COMPLETE'));
      expect(running.countPayments()).toBe(all.length);
      expect(await walletOf(partner, row)).toBe(FUNDS - AMOUNT * BigInt(all.length));
    },
    LIMIT_MS,
  );
});

async function openWallet(partner: number, { currency, connect }: KeyedProvider, key: string): Promise<void> {
  const provider = connect(running.baseUrl, key, clock);
  connected.push(provider);
  const openings = [{ currency, amount_minor: String(FUNDS) }];
  const sandbox = new PaymentsProcess(pg.db, provider, clock, () => 1);
  await sandbox.get(Wallets).openInSandbox({ partner_id: partner, openings });
}

async function statesOf(ids: readonly number[]): Promise<string[]> {
  const rows = await pg.db.query<{ id: number; state: string }>('select id::integer, state from transactions');
  return ids.map((id) => rows.find((row) => row.id === id)?.state ?? 'none');
}

async function attemptOf(id: number): Promise<string> {
  const [row] = await pg.db.query<{ reference: string }>(
    'select provider_reference::text as reference from attempts where transaction_id = $1',
    [id],
  );
  return row?.reference ?? '';
}

async function walletOf(partner: number, { currency }: KeyedProvider): Promise<bigint> {
  const [row] = await pg.db.query<{ minor: string }>(
    'select balance_minor::text as minor from accounts where name = $1',
    [`wallet:${partner}:${currency}`],
  );
  return BigInt(row?.minor ?? -1);
}
