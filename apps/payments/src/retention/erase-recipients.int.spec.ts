import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';
import { listAuditEntries } from '@vuka/persistence';
import type { ManualClock } from '@vuka/runtime';

import {
  NO_JOBS,
  type PaymentsDatabase,
  silent,
  startPaymentsDatabase,
} from '../testing/payments-database.spec-support.js';
import { Harness, later, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { EraseRecipients } from './erase-recipients.job.js';

const DAY_MS = 86_400_000;
const DAYS = 40;
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: 'JANE DOE',
  amount: money(500_00n, 'KES'),
  recipient: '1234567890',
};

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const eraser = (clock: ManualClock, days: number | null = DAYS, agrees = true): EraseRecipients =>
  new EraseRecipients(pg.db, NO_JOBS as never, { recipientRetentionDays: days }, clock, async () => agrees, silent);

/** Paid, and looked at for the last time. */
async function paid(): Promise<Harness> {
  const trip = await (await new Harness(pg, new ScriptedProvider([{ outcome: 'submitted' }, PAID])).accepted()).start();
  await trip.call('submit');
  await later(trip, 'poll');
  expect(await trip.state()).toBe('COMPLETE');
  await pg.db.query('update attempts set next_at = null, late_until = null where transaction_id = $1', [trip.id]);
  // As the gateway hands it over: the query is sealed.
  await pg.db.query(`update transactions set callback_url = 'https://x.test/?~sealed' where id = $1`, [trip.id]);
  return trip;
}

async function keptOf({ id, partner }: Harness): Promise<Record<string, unknown>> {
  const [row] = await pg.db.query(
    `select d.sealed, d.blind_index, t.public_name, t.callback_url, r.fingerprint, k.sealed_key, k.erased_at is not null as erased, k.cleared_at is not null as cleared
       from destinations d join transactions t on t.id = d.transaction_id join recipient_keys k on k.id = d.key_id
       join transaction_keys r on r.transaction_id = t.id where d.transaction_id = $1 and k.partner_id = $2`,
    [id, partner],
  );
  return row as Record<string, unknown>;
}

describe('recipients past the retention', () => {
  it('are erased with their whole month, and the answer says so, while money and audit stay whole', async () => {
    const trip = await paid();
    const [before, wallet, posted] = [await trip.row(), await trip.wallet(), await trip.posted()];
    expect(before).toMatchObject({ account_number: '1234567890', public_name: 'JANE DOE' });
    trip.clock.advance((DAYS + 15) * DAY_MS);
    await eraser(trip.clock).run();
    if ((await keptOf(trip))['erased'] === false) trip.clock.advance(31 * DAY_MS);
    await eraser(trip.clock).run();
    expect(await keptOf(trip)).toEqual({
      sealed: '',
      blind_index: '',
      public_name: null,
      callback_url: 'https://x.test/',
      fingerprint: '',
      sealed_key: '',
      erased: true,
      cleared: true,
    });
    expect(await trip.row()).toEqual({ ...before, account_number: 'erased', public_name: null });
    expect([await trip.wallet(), await trip.posted()]).toEqual([wallet, posted]);
    expect(await listAuditEntries(pg.db, { limit: 50 })).toContainEqual(
      expect.objectContaining({ act: 'recipients.erased', by: 'retention', partnerId: trip.partner }),
    );
  });

  it('stay while the month is younger, while nothing is set, and while the clock is in doubt', async () => {
    const trip = await paid();
    trip.clock.advance(20 * DAY_MS);
    await eraser(trip.clock).run();
    trip.clock.advance(2_000 * DAY_MS);
    await eraser(trip.clock, null).run();
    await eraser(trip.clock, DAYS, false).run();
    expect(await keptOf(trip)).toMatchObject({ erased: false, public_name: expect.any(String) });
    expect((await trip.row()).account_number).toBe('1234567890');
  });

  it('stay while one of their month may still be paid, asked about or refunded', async () => {
    const trip = await (
      await new Harness(pg, new ScriptedProvider([{ outcome: 'unknown', detail: 'timeout' }])).accepted()
    ).start();
    await trip.call('submit');
    trip.clock.advance(2_000 * DAY_MS);
    await eraser(trip.clock).run();
    expect(await keptOf(trip)).toMatchObject({ erased: false });
  });

  it('are cleared after all where a process was killed between the key and the rest', async () => {
    const trip = await paid();
    await pg.db.query(`update recipient_keys set sealed_key = '', erased_at = now() where partner_id = $1`, [
      trip.partner,
    ]);
    // Without its key, nothing opens it already.
    expect((await trip.row()).account_number).toBe('erased');
    await eraser(trip.clock).run();
    expect(await keptOf(trip)).toMatchObject({ sealed: '', blind_index: '', public_name: null, cleared: true });
  });
});
