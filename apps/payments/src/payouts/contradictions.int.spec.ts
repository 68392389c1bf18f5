import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { RailAnswer } from '@vuka/payouts';

import { ResolveIncident } from '../admin/resolve-incident.js';
import { fundRails } from '../testing/pay-road.spec-support.js';
import {
  AMOUNT,
  FEE,
  FUNDS,
  LATE_WINDOW_MS,
  LEASE_MS,
  Road,
  ScriptedRail,
} from '../testing/payout-road.spec-support.js';
import { ADDRESS, RefundRoad } from '../testing/refund-road.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

/** A provider says against its own "not paid" that an attempt is worked on, while a later attempt is out: until people have looked, value leaves once at most. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundRails(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const SPENT = FUNDS - AMOUNT - FEE;
const SUBMITTED: RailAnswer = { outcome: 'submitted' };
const UNKNOWN: RailAnswer = { outcome: 'unknown', detail: 'timeout' };
const NOT_FOUND: RailAnswer = { outcome: 'unknown', detail: 'the rail does not know our id', notFound: true };
const MISMATCH: RailAnswer = { outcome: 'mismatch', detail: '' };
const NO_FLOAT: RailAnswer = { outcome: 'deferred', reason: 'float', detail: 'FLOAT' };
const REFUSED: RailAnswer = { outcome: 'not_paid', code: 'recipient_not_found', routeLeft: false, detail: '' };
const NOT_HERE: RailAnswer = { ...REFUSED, code: 'rail_rejected', routeLeft: true };
const paid = (receipt: string): RailAnswer => ({
  outcome: 'succeeded',
  receipt,
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
});

const other = (...script: RailAnswer[]): ScriptedRail => new ScriptedRail(script, false, 'sandbox_b');

/** The first rail says that it does not pay, the second has it and has said `second`. */
async function secondIsOut(first: RailAnswer, second: RailAnswer = SUBMITTED): Promise<Road> {
  const trip = await new Road(pg, new ScriptedRail([first]), other(second)).accepted();
  for (let attempts = 0; attempts < 2; attempts += 1) {
    await trip.start();
    await trip.call('submit');
  }
  expect(trip.rails.map(({ submitted }) => submitted.length)).toEqual([1, 1]);
  return trip;
}

/** The same of a pay that has an address to be sent back to. */
async function payIsOut(): Promise<RefundRoad> {
  const trip = new RefundRoad(pg, new ScriptedRail([NOT_HERE]), other(SUBMITTED));
  await trip.payAccepted({ refund_address: ADDRESS });
  await trip.verified(trip.facts({ received_minor: '3866000' }));
  for (let attempts = 0; attempts < 2; attempts += 1) {
    await trip.start();
    await trip.call('submit');
  }
  return trip;
}

/** What the first rail says of its attempt when it is asked again. */
async function firstSays(trip: Road, ...answers: RailAnswer[]): Promise<void> {
  for (const answer of answers) {
    trip.rails[0]?.will(answer);
    trip.clock.advance(10_000);
    const claimed = await trip.claim('watch');
    for (const attempt of claimed.filter(({ rail }) => rail === 'sandbox')) await trip.caller.run('watch', attempt);
  }
}

async function secondSays(trip: Road, answer: RailAnswer): Promise<void> {
  trip.rails[1]?.will(answer);
  trip.clock.advance(1_000);
  await trip.call('poll');
}

/** Everything is due and nothing leaves, however long it goes on. */
async function expectWaits(trip: Road): Promise<void> {
  const sent = trip.rails.map(({ submitted }) => submitted.length);
  for (let minutes = 0; minutes < 10; minutes += 1) {
    await trip.start();
    await trip.call('submit');
    trip.clock.advance(60_000);
  }
  expect([await trip.state(), trip.rails.map(({ submitted }) => submitted.length)]).toEqual(['QUEUED', sent]);
}

/** People say that they have looked; resolves with how many incidents there were to close. */
async function resolveAll(trip: Road): Promise<number> {
  const open = await pg.db.query<{ id: string }>(
    'select id from incidents where transaction_id = $1 and resolved_at is null',
    [trip.id],
  );
  for (const { id } of open)
    await new ResolveIncident(pg.db, trip.clock).run(Number(id), 'Ann Otieno', 'the provider gave it up, ticket 12');
  return open.length;
}

async function refundsOf({ id }: Road): Promise<string[]> {
  return (await pg.db.query<{ state: string }>('select state from refunds where transaction_id = $1', [id])).map(
    ({ state }) => state,
  );
}

describe('an older attempt is worked on after all, while a later one is out', () => {
  it.each([
    ['was put off', NO_FLOAT],
    ['was refused', NOT_HERE],
  ])('where it %s, and the later one fails: no third starts until people have looked', async (_, first) => {
    const trip = await secondIsOut(first);
    await firstSays(trip, SUBMITTED);
    expect(await trip.incidents()).toEqual([{ event: 'submitted', times: 1 }]);
    await secondSays(trip, NOT_HERE);
    await expectWaits(trip);
    expect([await trip.wallet(), await trip.posted()]).toEqual([SPENT, ['P1']]);
  });

  it('and pays, while its transaction waits for people: that is the payment', async () => {
    const trip = await secondIsOut(NOT_HERE);
    await firstSays(trip, SUBMITTED);
    await secondSays(trip, REFUSED);
    await firstSays(trip, paid('A1'));
    expect([await trip.state(), await trip.posted(), await trip.debt()]).toEqual(['COMPLETE', ['P1', 'P5'], 0n]);
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'A1', failure_code: '' });
  });

  it('and its later one is refused for good: it fails by that, once people have looked, and tries no other rail', async () => {
    const trip = await new Road(
      pg,
      new ScriptedRail([NOT_HERE]),
      other(SUBMITTED),
      new ScriptedRail([], false, 'sandbox_c'),
    ).accepted();
    for (let attempts = 0; attempts < 2; attempts += 1) {
      await trip.start();
      await trip.call('submit');
    }
    await firstSays(trip, SUBMITTED);
    await secondSays(trip, REFUSED);
    await expectWaits(trip);
    expect(await trip.row()).toMatchObject({ status: 'PROCESSING', failure_code: '' });
    expect(await resolveAll(trip)).toBe(1);
    await trip.start();
    expect(await trip.row()).toMatchObject({ status: 'FAILED', failure_code: 'recipient_not_found' });
    expect([await trip.wallet(), trip.rails[2]?.submitted.length]).toEqual([FUNDS, 0]);
  });

  it('and its later one pays: COMPLETE as ever, and the incident stays for people', async () => {
    const trip = await secondIsOut(NOT_HERE);
    await firstSays(trip, SUBMITTED);
    await secondSays(trip, paid('B1'));
    expect([await trip.state(), await trip.posted(), await resolveAll(trip)]).toEqual(['COMPLETE', ['P1', 'P5'], 1]);
  });

  it('of a pay: its value is not sent back while it may be paid, and it is not both', async () => {
    const trip = await payIsOut();
    await firstSays(trip, SUBMITTED);
    await secondSays(trip, REFUSED);
    await trip.grants.run();
    expect([await trip.state(), await refundsOf(trip)]).toEqual(['QUEUED', []]);
    await firstSays(trip, paid('A1'));
    await trip.grants.run();
    expect([await trip.state(), await refundsOf(trip), await trip.debt()]).toEqual(['COMPLETE', [], 0n]);
  });

  it('and people settle the later one as not paid: it waits, and fails when they have resolved the contradiction as well', async () => {
    const trip = await secondIsOut(NOT_HERE, MISMATCH);
    expect(await trip.state()).toBe('REVIEW');
    await firstSays(trip, SUBMITTED);
    const proposed = await trip.settle.propose({
      transactionId: trip.id,
      outcome: 'not_paid',
      receipt: null,
      paid: null,
      evidence: 'statement',
      by: 'Ann',
    });
    if (!proposed.ok) throw new Error(proposed.error.message);
    expect(await trip.settle.approve({ settlementId: proposed.value.settlementId, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { state: 'QUEUED' },
    });
    await expectWaits(trip);
    await resolveAll(trip);
    await trip.start();
    expect(await trip.row()).toMatchObject({ status: 'FAILED', failure_code: 'rail_rejected' });
  });

  it('and is still asked about when the later one is in REVIEW: what it pays is not lost', async () => {
    const trip = await secondIsOut(NOT_HERE, MISMATCH);
    await firstSays(trip, SUBMITTED, SUBMITTED, paid('A1'));
    expect([await trip.state(), await trip.posted()]).toEqual(['REVIEW', ['P1', 'P9_ours']]);
  });
});

describe('a later attempt whose call was interrupted, while an older one is contradicted', () => {
  it('is asked about, and is not sent again until people have looked', async () => {
    const second = new ScriptedRail([], true, 'sandbox_b');
    const trip = await (await new Road(pg, new ScriptedRail([NO_FLOAT]), second).accepted()).start();
    await trip.call('submit');
    await trip.start();
    // Its process dies before the call.
    await trip.claim('submit');
    await firstSays(trip, MISMATCH);
    trip.clock.advance(LEASE_MS);
    expect([await trip.call('submit'), second.submitted.length, await trip.state()]).toEqual([1, 0, 'IN_DOUBT']);
    second.will(NOT_FOUND, NOT_FOUND);
    for (let polls = 0; polls < 2; polls += 1) {
      trip.clock.advance(1_000);
      await trip.call('poll');
    }
    expect([second.submitted.length, await resolveAll(trip)]).toEqual([0, 1]);
    second.will(NOT_FOUND, paid('B1'));
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect([second.submitted.length, await trip.state()]).toEqual([1, 'COMPLETE']);
  });
});

describe('people who have resolved a contradiction', () => {
  it('have its transaction tried at once', async () => {
    const trip = await (await new Road(pg, new ScriptedRail([NO_FLOAT])).accepted()).start();
    await trip.call('submit');
    await firstSays(trip, SUBMITTED);
    await trip.start();
    trip.clock.advance(1);
    expect(await resolveAll(trip)).toBe(1);
    trip.rail?.will(paid('A2'));
    await trip.start();
    expect([await trip.call('submit'), await trip.state()]).toEqual([1, 'COMPLETE']);
  });

  it('between what a start has read and its commit: it is due again at once', async () => {
    const trip = await (await new Road(pg, new ScriptedRail([NO_FLOAT])).accepted()).start();
    await trip.call('submit');
    await firstSays(trip, SUBMITTED);
    const { historyOf } = trip.attempts;
    trip.attempts.historyOf = async (id) => {
      const history = await historyOf.call(trip.attempts, id);
      trip.attempts.historyOf = historyOf;
      await resolveAll(trip);
      return history;
    };
    await trip.start();
    trip.clock.advance(1);
    await trip.start();
    expect(await trip.state()).toBe('SUBMITTING');
  });

  it('are not asked the same again: a rail that goes on saying so holds nothing up any more', async () => {
    const trip = await (await new Road(pg, new ScriptedRail([NO_FLOAT])).accepted()).start();
    await trip.call('submit');
    await firstSays(trip, SUBMITTED);
    await trip.start();
    expect(await resolveAll(trip)).toBe(1);
    await firstSays(trip, SUBMITTED, SUBMITTED);
    expect([await trip.incidents(), await resolveAll(trip)]).toEqual([[{ event: 'submitted', times: 3 }], 0]);
    await trip.start();
    trip.rail?.will(SUBMITTED);
    expect([await trip.call('submit'), await trip.state()]).toEqual([1, 'SUBMITTED']);
    await firstSays(trip, SUBMITTED);
    expect(await resolveAll(trip)).toBe(0);
  });

  it('are asked when it says another thing, or says it of another attempt', async () => {
    const trip = await secondIsOut(NOT_HERE);
    await firstSays(trip, SUBMITTED);
    await resolveAll(trip);
    await firstSays(trip, SUBMITTED, UNKNOWN);
    expect(await resolveAll(trip)).toBe(1);
    await secondSays(trip, NOT_HERE);
    trip.rails[0]?.will(UNKNOWN);
    trip.rails[1]?.will(SUBMITTED);
    trip.clock.advance(LEASE_MS);
    await trip.call('watch');
    expect(await trip.incidents()).toEqual([
      { event: 'submitted', times: 2 },
      { event: 'unknown', times: 2 },
      { event: 'submitted', times: 1 },
    ]);
  });

  it('and what is paid in the end is posted, however long its rail has worked on it', async () => {
    const trip = await secondIsOut(NOT_HERE);
    await firstSays(trip, SUBMITTED);
    await resolveAll(trip);
    for (let waited = 0; waited < 3 * LATE_WINDOW_MS; waited += 10_000) await firstSays(trip, SUBMITTED);
    await firstSays(trip, paid('A1'));
    expect([await trip.state(), await trip.posted()]).toEqual(['SUBMITTED', ['P1', 'P9_ours']]);
  });
});
