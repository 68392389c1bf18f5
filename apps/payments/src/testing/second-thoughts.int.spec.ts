import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer, ProviderPayment } from '@vuka/payouts';

import {
  AMOUNT,
  FEE,
  FUNDS,
  LATE_WINDOW_MS,
  LEASE_MS,
  Harness,
  ScriptedProvider,
} from './payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';

/** Providers change their answers: several payments, some returned, by older attempts. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const SPENT = FUNDS - AMOUNT - FEE;
const SUBMITTED: ProviderAnswer = { outcome: 'submitted' };
const UNKNOWN: ProviderAnswer = { outcome: 'unknown', detail: 'timeout' };
const MISMATCH: ProviderAnswer = { outcome: 'mismatch', detail: '' };
const notPaid = (routeLeft = false): ProviderAnswer => ({
  outcome: 'not_paid',
  code: 'rail_rejected',
  routeLeft,
  detail: '',
});
const stands = (receipt: string): ProviderPayment => ({ receipt, reversed: false });
const gone = (receipt: string): ProviderPayment => ({ receipt, reversed: true });

function listing(first: ProviderPayment, ...otherPayments: ProviderPayment[]): ProviderAnswer {
  return first.reversed
    ? { outcome: 'reversed', receipt: first.receipt, publicName: null, detail: '', otherPayments }
    : {
        outcome: 'succeeded',
        receipt: first.receipt,
        publicName: null,
        amount: money(AMOUNT, 'KES'),
        recipient: '1',
        otherPayments,
      };
}

async function later(trip: Harness, purpose: 'poll' | 'watch', ms = 10_000): Promise<number> {
  trip.clock.advance(ms);
  return trip.call(purpose);
}

/** While polls follow at once; bounded, to detect a loop. */
async function watchOut(trip: Harness, answer: ProviderAnswer): Promise<number> {
  let checks = 0;
  for (; checks < 6; checks++) {
    trip.provider!.will(answer);
    if ((await trip.call('watch')) === 0) break;
  }
  return checks;
}

const harness = async (...script: ProviderAnswer[]): Promise<Harness> =>
  (await new Harness(pg, new ScriptedProvider(script)).accepted()).start();

/** The first refused; the second was sent to and answers this. */
async function failedOver(second: ProviderAnswer[]): Promise<Harness> {
  const trip = await (
    await new Harness(
      pg,
      new ScriptedProvider([notPaid(true)]),
      new ScriptedProvider(second, false, 'sandbox_b'),
    ).accepted()
  ).start();
  await trip.call('submit');
  await trip.start();
  if (second.length > 0) await trip.call('submit');
  return trip;
}

describe('a transaction that was completed by an older attempt', () => {
  it.each([
    ['while the newer one was unsent', []],
    ['after the newer one had failed', [SUBMITTED, notPaid()]],
  ])('%s: is REVERSED when that payment comes back', async (_, second) => {
    const trip = await failedOver(second);
    trip.provider!.will(listing(stands('A1')));
    await later(trip, 'watch');
    if (second.length > 0) {
      await later(trip, 'poll');
      await trip.start();
    }
    expect([await trip.state(), (await trip.row()).receipt_number]).toEqual(['COMPLETE', 'A1']);
    trip.provider!.will(listing(gone('A1')));
    trip.providers[1]!.will(notPaid());
    await later(trip, 'watch');
    expect([await trip.state(), await trip.wallet(), (await trip.told()).map(([, , status]) => status)]).toEqual([
      'REVERSED',
      FUNDS,
      ['PROCESSING', 'COMPLETE', 'REVERSED'],
    ]);
    expect(await watchOut(trip, listing(gone('A1')))).toBe(0);
  });

  it('hears of a second payment, and of a provider that takes the first one back by word alone', async () => {
    const trip = await failedOver([]);
    trip.provider!.will(listing(stands('A1')), listing(stands('A1'), stands('A2')), notPaid());
    for (let checks = 0; checks < 3; checks++) await later(trip, 'watch');
    expect([await trip.state(), await trip.wallet(), (await trip.incidents()).map(({ event }) => event)]).toEqual([
      'COMPLETE',
      SPENT,
      ['succeeded', 'not_paid_last'],
    ]);
    expect((await trip.posted()).sort()).toEqual(['duplicate_payment_ours', 'payout_held', 'payout_settled']);
  });

  it('tells the payment from one that came back before, whatever the order in which they were heard of', async () => {
    const trip = await failedOver([SUBMITTED, notPaid()]);
    trip.provider!.will(listing(stands('R1')), listing(gone('R1')));
    for (let checks = 0; checks < 2; checks++) await later(trip, 'watch');
    await later(trip, 'poll');
    trip.provider!.will(listing(gone('R1'), stands('R2')));
    trip.providers[1]!.will(notPaid());
    await later(trip, 'watch');
    expect([await trip.state(), (await trip.row()).receipt_number]).toEqual(['FAILED', null]);
    expect([await trip.posted(), await trip.debt()]).toEqual([
      [
        'payout_held',
        'duplicate_payment_ours',
        'duplicate_payment_ours_returned',
        'payout_released',
        'duplicate_payment',
      ],
      AMOUNT,
    ]);
    expect(await watchOut(trip, listing(gone('R1'), stands('R2')))).toBe(0);
  });
});

describe('payments that came back before anybody had heard of them', () => {
  it('do not hide the one that stands: no second provider pays', async () => {
    const trip = await (
      await new Harness(
        pg,
        new ScriptedProvider([notPaid(true)]),
        new ScriptedProvider([], false, 'sandbox_b'),
      ).accepted()
    ).start();
    await trip.call('submit');
    trip.provider!.will(listing(gone('G1'), stands('R2')));
    await later(trip, 'watch');
    expect([await trip.state(), (await trip.row()).receipt_number]).toEqual(['COMPLETE', 'R2']);
    await trip.start();
    expect([await trip.call('submit'), trip.providers[1]?.submitted]).toEqual([0, []]);
  });

  it('are nothing by themselves, and are not asked about again and again', async () => {
    const trip = await (
      await new Harness(
        pg,
        new ScriptedProvider([notPaid(true)]),
        new ScriptedProvider([{ outcome: 'deferred', reason: 'float', detail: '' }, UNKNOWN], false, 'sandbox_b'),
      ).accepted()
    ).start();
    await trip.call('submit');
    await trip.start();
    await trip.call('submit');
    const before = (await trip.store.byId(trip.id))!.life.sequence;
    trip.clock.advance(2_000);
    expect(await watchOut(trip, listing(gone('G1'), gone('G2')))).toBe(1);
    expect([await trip.state(), (await trip.store.byId(trip.id))!.life.sequence]).toEqual(['QUEUED', before]);
  });

  it('do not reverse what was delivered by the second payment', async () => {
    const trip = await harness(SUBMITTED, listing(gone('G1'), stands('R2')));
    await trip.call('submit');
    await later(trip, 'poll');
    expect([await trip.state(), (await trip.row()).receipt_number, await trip.wallet()]).toEqual([
      'COMPLETE',
      'R2',
      SPENT,
    ]);
    expect(await watchOut(trip, listing(gone('G1'), stands('R2')))).toBe(1);
    expect((await trip.posted()).sort()).toEqual(['payout_held', 'payout_settled']);
  });
});

describe('settled by people', () => {
  async function settledAsPaid(from: ProviderAnswer, receipt: string): Promise<Harness> {
    const trip = await harness(from);
    await trip.call('submit');
    const proposed = await trip.settle.propose({
      transactionId: trip.id,
      outcome: 'paid',
      receipt,
      paid: null,
      evidence: 'x',
      by: 'Ann',
    });
    if (!proposed.ok) throw new Error(proposed.error.message);
    expect(await trip.settle.approve({ settlementId: proposed.value.settlementId, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { state: 'COMPLETE' },
    });
    return trip;
  }

  it('under a number that the provider spells otherwise: it is one payment, and it can come back', async () => {
    const trip = await settledAsPaid(UNKNOWN, ' bank ref 9 ');
    expect((await trip.row()).receipt_number).toBe('bank ref 9');
    trip.provider!.will(listing(stands('R9')), listing(gone('R9')));
    expect(await later(trip, 'watch', 60_000)).toBe(1);
    expect((await trip.posted()).sort()).toEqual(['payout_held', 'payout_settled']);
    expect(await later(trip, 'watch')).toBe(1);
    expect([await trip.state(), await trip.wallet()]).toEqual(['REVERSED', FUNDS]);
  });

  it('what the statement said while they decided is not forgotten', async () => {
    const trip = await harness(UNKNOWN);
    await trip.call('submit');
    await trip.claim('poll');
    await trip.attempts.hint(
      'sandbox',
      [{ attemptId: trip.provider!.submitted[0]!, event: 'reversed', receipt: 'R9', isFirst: false }],
      trip.clock.now(),
    );
    await pg.db.query(`update attempts set settlement_id = 7 where transaction_id = $1`, [trip.id]);
    trip.clock.advance(LEASE_MS);
    expect(
      await trip.attempts.takeOver({ transactionId: trip.id, attemptNo: 1, settlementId: 7 }, trip.clock.now()),
    ).toBeGreaterThan(0);
    const [row] = await pg.db.query<{ kept: boolean }>(
      `select hinted_fence = fence as kept from attempts where transaction_id = $1`,
      [trip.id],
    );
    expect(row?.kept).toBe(true);
  });

  it('on the provider’s own contradiction: to hear it again opens no incident', async () => {
    const trip = await settledAsPaid(MISMATCH, 'R9');
    await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
    trip.provider!.will(MISMATCH);
    expect([await trip.call('watch'), await trip.call('watch'), await trip.incidents(), await trip.state()]).toEqual([
      1,
      0,
      [],
      'COMPLETE',
    ]);
  });

  it('what a provider says in REVIEW is noted once per look, and leaves the attempt open', async () => {
    const trip = await harness(MISMATCH);
    await trip.call('submit');
    await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
    trip.provider!.will(listing(stands('R1'), stands('R2')));
    expect([await trip.call('poll'), await trip.call('poll'), await trip.state()]).toEqual([1, 0, 'REVIEW']);
    expect((await trip.attempts.historyOf(trip.id)).attempts[0]?.state).toBe('UNKNOWN');
  });
});

describe('a debt', () => {
  it('against which the provider speaks later is an incident', async () => {
    const trip = await harness(notPaid(), listing(stands('R1')), notPaid());
    await trip.call('submit');
    for (let checks = 0; checks < 2; checks++) await later(trip, 'watch');
    expect([await trip.debt(), (await trip.incidents()).map(({ event }) => event)]).toEqual([
      AMOUNT,
      ['succeeded', 'not_paid_last'],
    ]);
  });

  it('is unwound for each payment, in whatever order the clocks have put them', async () => {
    const trip = await harness(notPaid(), listing(stands('R1')), listing(gone('R1')));
    await trip.call('submit');
    for (let checks = 0; checks < 2; checks++) await later(trip, 'watch');
    trip.clock.advance(-30_000);
    await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
    trip.provider!.will(listing(gone('R1'), stands('R2')));
    await trip.call('watch');
    await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
    trip.provider!.will(listing(gone('R1'), gone('R2')));
    await trip.call('watch');
    expect([
      (await trip.posted()).filter((name) => name.startsWith('duplicate_payment')).sort(),
      await trip.debt(),
      await trip.wallet(),
    ]).toEqual([
      ['duplicate_payment', 'duplicate_payment', 'duplicate_payment_returned', 'duplicate_payment_returned'],
      0n,
      FUNDS,
    ]);
  });
});

describe('the late window', () => {
  it('opens anew when a provider works again on what it had refused', async () => {
    const trip = await harness(notPaid(), SUBMITTED, listing(stands('LATE')));
    await trip.call('submit');
    expect(await later(trip, 'watch', LATE_WINDOW_MS)).toBe(1);
    expect(await later(trip, 'watch')).toBe(1);
    expect(await trip.debt()).toBe(AMOUNT);
  });

  it('is not opened by one look at an attempt that has none', async () => {
    const trip = await harness({ outcome: 'deferred', reason: 'float', detail: '' }, notPaid());
    await trip.call('submit');
    await pg.db.query(`update attempts set late_until = null where transaction_id = $1`, [trip.id]);
    await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
    expect([await trip.call('watch'), await later(trip, 'watch', 3_600_000)]).toEqual([1, 0]);
  });
});
