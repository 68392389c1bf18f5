import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import { Reseal, type ResealView } from '@vuka/persistence';
import { Cipher, systemClock, WebhookCipher } from '@vuka/runtime';

import { CallbackEnvelope } from '../callbacks/callback-envelope.js';
import { CallbackHarness, CallingProvider } from '../callbacks/callback-harness.spec-support.js';
import type { ClaimedCallback } from '../callbacks/callback.store.js';
import { type PaymentsDatabase, startPaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { Harness, later, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { GetTransaction } from '../transactions/status/get-transaction.js';
import { sealedColumns } from './methods/standing-methods.js';

/** As of partsOn(). */
const OLD = { id: 'k1', key: Buffer.alloc(32, 7) };
const OLD_TOLD = { id: 'w1', key: Buffer.alloc(32, 5) };
const NEW = { id: 'k2', key: Buffer.alloc(32, 8) };
const both = { cipher: new Cipher([NEW, OLD], [OLD]), told: new WebhookCipher([NEW, OLD_TOLD]) };
const alone = { cipher: new Cipher([NEW], [OLD]), told: new WebhookCipher([NEW]) };
const STRANGER = '11111111-2222-4333-8444-555555555555';
const URL_SENT = 'https://x.test/hook?token=s3cret';

const oldUrl = (partner: number): string => new WebhookCipher([OLD_TOLD]).sealUrl(partner, URL_SENT);

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

async function resealed({ cipher, told }: typeof both): Promise<ResealView[]> {
  const reseal = new Reseal(pg.db, systemClock, sealedColumns(cipher, told));
  let views = await reseal.run({ begin: true, by: 'Ann', reason: 'yearly' });
  while (views.some(({ done }) => !done)) views = await reseal.run({ begin: false, by: 'Ann', reason: 'yearly' });
  return views;
}

describe('what payments has sealed', () => {
  it('opens without the old keys, once it was sealed anew', async () => {
    const paid = {
      outcome: 'succeeded',
      receipt: 'R1',
      publicName: 'JANE DOE',
      amount: money(500_00n, 'KES'),
      recipient: '1234567890',
    } as const;
    const trip = await (
      await new Harness(pg, new ScriptedProvider([{ outcome: 'submitted' }, paid])).accepted()
    ).start();
    await trip.call('submit');
    await later(trip, 'poll');
    const before = await trip.row();
    expect(before).toMatchObject({ account_number: '1234567890', public_name: 'JANE DOE' });
    await pg.db.query('update transactions set callback_url = $2 where id = $1', [trip.id, oldUrl(trip.partner)]);
    await pg.db.query(
      'insert into refund_urls (refund_id, partner_id, callback_url, created_at) values (1, $1, $2, now())',
      [trip.partner, oldUrl(trip.partner)],
    );
    const called = await CallbackHarness.started(pg, new CallingProvider([]));
    await called.calledBack({ id: STRANGER });

    const first = await resealed(both);
    expect(first.map(({ column, unopened }) => [column, unopened])).toEqual([
      ['recipient_keys.sealed_key', 0],
      ['transactions.public_name', 0],
      ['transactions.callback_url', 0],
      ['refund_urls.callback_url', 0],
      ['provider_callbacks.sealed', 0],
    ]);
    for (const { column, resealed: rows } of first) expect([column, rows > 0]).toEqual([column, true]);
    expect((await resealed(both)).every(({ found }) => Object.keys(found).join() === 'k2')).toBe(true);

    const parts = trip.partsWith([Cipher, alone.cipher], [WebhookCipher, alone.told]);
    const row = await parts
      .get(GetTransaction)
      .run({ partner_id: trip.partner, currency: null, by: { transaction_code: trip.code } });
    expect(row).toEqual({ ok: true, value: before });
    const [stored] = await pg.db.query<{ url: string; refund: string }>(
      'select t.callback_url as url, u.callback_url as refund from transactions t, refund_urls u where t.id = $1',
      [trip.id],
    );
    expect([
      alone.told.openUrl(trip.partner, String(stored?.url)),
      alone.told.openUrl(trip.partner, String(stored?.refund)),
    ]).toEqual([URL_SENT, URL_SENT]);
    const [callback] = await pg.db.query<ClaimedCallback>(
      `select provider, body_index as "bodyIndex", sealed, attempt_reference as "attemptReference", received_at as "receivedAt" from provider_callbacks`,
    );
    expect(
      parts
        .get(CallbackEnvelope)
        .open(callback as ClaimedCallback)
        .body.toString(),
    ).toContain(STRANGER);
  });
});
