import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RailAnswer } from '@vuka/payouts';
import { listActs } from '@vuka/persistence';

import {
  AMOUNT,
  FEE,
  FUNDS,
  LATE_WINDOW_MS,
  LEASE_MS,
  Road,
  ScriptedRail,
} from '../testing/payout-road.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const paid = (receipt: string): RailAnswer => ({
  outcome: 'succeeded',
  receipt,
  publicName: 'TEST 7890',
  amountMinor: AMOUNT,
  recipient: '1234567890',
});
const cameBack = (receipt: string): RailAnswer => ({ outcome: 'reversed', receipt, detail: '' });
const SUBMITTED: RailAnswer = { outcome: 'submitted' };
const UNKNOWN: RailAnswer = { outcome: 'unknown', detail: 'timeout' };
const NO_ANSWER: RailAnswer = { outcome: 'query_failed', detail: 'timeout' };
const NOT_PAID: RailAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: 'REJECTED' };
const NOT_PAID_HERE: RailAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: true, detail: 'CHANNEL' };
const NO_FLOAT: RailAnswer = { outcome: 'deferred', reason: 'float', detail: 'FLOAT' };
const MISMATCH: RailAnswer = { outcome: 'mismatch', detail: "the rail's record has another amount" };
const SPENT = FUNDS - AMOUNT - FEE;

const road = async (...script: RailAnswer[]): Promise<Road> =>
  (await new Road(pg, new ScriptedRail(script)).accepted()).start();
const twoRoads = async (first: RailAnswer[], second: RailAnswer[]): Promise<Road> =>
  (await new Road(pg, new ScriptedRail(first), new ScriptedRail(second, false, 'sandbox_b')).accepted()).start();

/** The first rail has turned the payment down for a reason of its own, and the second has been started. */
async function failedOver(first: RailAnswer[], second: RailAnswer[]): Promise<Road> {
  const trip = await twoRoads([NOT_PAID_HERE, ...first], second);
  await trip.call('submit');
  expect(await trip.state()).toBe('QUEUED');
  await trip.start();
  expect(await trip.state()).toBe('SUBMITTING');
  return trip;
}

async function later(trip: Road, purpose: 'poll' | 'watch', ms = 1_000): Promise<number> {
  trip.clock.advance(ms);
  return trip.call(purpose);
}

describe('paid after FAILED', () => {
  it.each([2_000, 14_000, LATE_WINDOW_MS])(
    'within %i ms: the partner owes what it got back, and it is collected',
    async (delay) => {
      const trip = await road(NOT_PAID);
      await trip.call('submit');
      expect([await trip.state(), await trip.wallet()]).toEqual(['FAILED', FUNDS]);
      // Nothing new until the payment turns up.
      for (let waited = 0; waited < delay;) {
        const step = waited < 4_000 ? 2_000 : 10_000;
        waited += step;
        trip.rail!.will(waited < delay ? NOT_PAID : paid('LATE'));
        expect(await later(trip, 'watch', Math.min(step, delay - waited + step))).toBe(1);
      }
      expect([await trip.state(), await trip.debt(), await trip.incidents()]).toEqual([
        'FAILED',
        AMOUNT,
        [{ event: 'succeeded', times: 1 }],
      ]);
      expect(await trip.collect()).toBe(1);
      expect([await trip.wallet(), await trip.debt(), await trip.collect()]).toEqual([FUNDS - AMOUNT, 0n, 0]);
      expect(await trip.row()).toMatchObject({ status: 'FAILED', receipt_number: null, failure_code: 'rail_rejected' });
      expect((await trip.told()).map(([type]) => type)).toEqual([
        'transaction.processing',
        'transaction.failed',
        'transaction.corrected',
      ]);
    },
  );

  it('is heard of once, and given back when it comes back', async () => {
    const trip = await road(NOT_PAID, paid('LATE'), paid('LATE'), cameBack('LATE'), cameBack('LATE'));
    await trip.call('submit');
    for (let looks = 0; looks < 2; looks++) expect(await later(trip, 'watch', 10_000)).toBe(1);
    expect(await trip.posted()).toEqual(['P1', 'P6', 'P9']);
    await trip.collect();
    for (let looks = 0; looks < 2; looks++) expect(await later(trip, 'watch', 10_000)).toBe(1);
    expect([await trip.posted(), await trip.wallet(), await trip.debt()]).toEqual([
      ['P1', 'P6', 'P9', 'P9_unwind'],
      FUNDS,
      0n,
    ]);
  });

  it('is not waited for when the late window has closed', async () => {
    const trip = await road(NOT_PAID, NOT_PAID);
    await trip.call('submit');
    expect(await later(trip, 'watch', LATE_WINDOW_MS + 1)).toBe(1);
    expect(await later(trip, 'watch', LATE_WINDOW_MS)).toBe(0);
  });

  it('a rail that forgets what it had refused opens one incident, however often it is asked', async () => {
    const trip = await road(NOT_PAID, UNKNOWN, UNKNOWN, SUBMITTED, NOT_PAID);
    await trip.call('submit');
    for (let looks = 0; looks < 4; looks++) expect(await later(trip, 'watch', 10_000)).toBe(1);
    expect([await trip.state(), await trip.incidents()]).toEqual([
      'FAILED',
      [
        { event: 'unknown', times: 2 },
        { event: 'submitted', times: 1 },
      ],
    ]);
  });
});

describe('failover', () => {
  it('pays through the second rail what the first one could not', async () => {
    const trip = await failedOver([], [paid('B1')]);
    await trip.call('submit');
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'B1' });
    expect((await trip.told()).map(([type]) => type)).toEqual(['transaction.processing', 'transaction.complete']);
    expect(
      await pg.db.query(
        `select from entries e join accounts a on a.id = e.to_account where a.name = 'rail:sandbox_b:KES' and e.posting_id in (select id from postings where transaction_id = ${trip.id})`,
      ),
    ).toHaveLength(1);
  });

  it('ends where every rail has turned it down', async () => {
    const trip = await failedOver([], [NOT_PAID_HERE]);
    await trip.call('submit');
    expect([await trip.state(), await trip.wallet()]).toEqual(['FAILED', FUNDS]);
  });

  it('does not try another rail for a reason that is the recipient’s', async () => {
    const trip = await twoRoads([NOT_PAID], []);
    await trip.call('submit');
    expect([await trip.state(), trip.rails[1]?.submitted]).toEqual(['FAILED', []]);
  });

  it('takes a late success of the first rail for the payment while the second is unsent: that one never goes out', async () => {
    const trip = await failedOver([paid('A-late')], []);
    expect(await later(trip, 'watch', 10_000)).toBe(1);
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'A-late' });
    expect([await trip.call('submit'), trip.rails[1]?.submitted, await trip.posted()]).toEqual([0, [], ['P1', 'P5']]);
  });

  it('charges once where both have paid after all', async () => {
    const trip = await failedOver([paid('A-late')], [SUBMITTED, paid('B1')]);
    await trip.call('submit');
    expect(await later(trip, 'watch', 2_000)).toBe(1);
    expect([await trip.state(), await trip.posted(), await trip.debt()]).toEqual(['SUBMITTED', ['P1', 'P9_ours'], 0n]);
    await later(trip, 'poll');
    expect([await trip.state(), await trip.wallet(), await trip.debt(), (await trip.incidents()).length]).toEqual([
      'COMPLETE',
      SPENT,
      0n,
      1,
    ]);
  });

  it('settles by the late success of the first rail where the second one fails', async () => {
    const trip = await failedOver([paid('A-late')], [SUBMITTED, NOT_PAID]);
    await trip.call('submit');
    await later(trip, 'watch', 2_000);
    await later(trip, 'poll');
    expect(await trip.state()).toBe('QUEUED');
    // What is not known to be paid is held for a rail that may take it; this has been paid already.
    trip.clock.advance(60_000);
    await trip.start();
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'A-late' });
    expect([await trip.posted(), await trip.wallet(), await trip.debt()]).toEqual([
      ['P1', 'P9_ours', 'P5', 'P9_ours_unwind'],
      SPENT,
      0n,
    ]);
  });
});

describe('parking', () => {
  it('takes a late success for the payment', async () => {
    const trip = await twoRoads([NOT_PAID_HERE, paid('A-late')], [NO_FLOAT, UNKNOWN]);
    await trip.call('submit');
    await trip.start();
    await trip.call('submit');
    expect(await trip.state()).toBe('QUEUED');
    await later(trip, 'watch', 2_000);
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'A-late' });
  });

  it('tries the other rail at once, and only then waits', async () => {
    const trip = await twoRoads([NO_FLOAT, NO_FLOAT], [NO_FLOAT, paid('B1')]);
    await trip.call('submit');
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), trip.rails.map(({ submitted }) => submitted.length)]).toEqual(['QUEUED', [1, 1]]);
    await trip.start();
    expect(await trip.state()).toBe('QUEUED');
    trip.clock.advance(1_000);
    await trip.start();
    await trip.call('submit');
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), trip.rails.map(({ submitted }) => submitted.length)]).toEqual(['COMPLETE', [2, 2]]);
    expect(new Set(trip.rails.flatMap(({ submitted }) => submitted)).size).toBe(4);
  });

  it('begins to wait anew when a rail has taken the payment in between', async () => {
    const trip = await twoRoads([NO_FLOAT, NO_FLOAT, NO_FLOAT], [SUBMITTED, NOT_PAID_HERE]);
    await trip.call('submit');
    await trip.start();
    await trip.call('submit');
    expect(await trip.state()).toBe('SUBMITTED');
    await later(trip, 'poll', 40_000);
    expect(await trip.state()).toBe('QUEUED');
    await trip.start();
    await trip.call('submit');
    // The first deadline has passed long since; this wait has its own.
    expect(await trip.state()).toBe('QUEUED');
    trip.clock.advance(30_000);
    await trip.start();
    expect([await trip.state(), (await trip.row()).failure_code, await trip.wallet()]).toEqual([
      'FAILED',
      'rail_unavailable',
      FUNDS,
    ]);
  });
});

describe('after COMPLETE', () => {
  it('is REVERSED when the payment comes back: amount and service fee are in the wallet again', async () => {
    const trip = await road(paid('R1'), cameBack('R1'), cameBack('R1'));
    await trip.call('submit');
    for (let looks = 0; looks < 2; looks++) expect(await later(trip, 'watch', 10_000)).toBe(1);
    expect([(await trip.row()).status, await trip.wallet(), await trip.posted()]).toEqual([
      'REVERSED',
      FUNDS,
      ['P1', 'P5', 'P8'],
    ]);
    expect((await trip.told()).map(([type]) => type)).toEqual([
      'transaction.processing',
      'transaction.complete',
      'transaction.reversed',
    ]);
  });

  it('a second payment under the same id is ours to settle with the rail, and the partner is charged once', async () => {
    const twice: RailAnswer = { ...paid('R1'), otherPayments: [{ receipt: 'R2', reversed: false }] } as RailAnswer;
    const trip = await road(paid('R1'), twice, twice);
    await trip.call('submit');
    for (let looks = 0; looks < 2; looks++) await later(trip, 'watch', 10_000);
    expect([await trip.posted(), await trip.wallet(), await trip.debt(), await trip.incidents()]).toEqual([
      ['P1', 'P5', 'P9_ours'],
      SPENT,
      0n,
      [{ event: 'succeeded', times: 1 }],
    ]);
    trip.rail!.will({ ...paid('R1'), otherPayments: [{ receipt: 'R2', reversed: true }] } as RailAnswer);
    await later(trip, 'watch', 10_000);
    expect([await trip.state(), await trip.posted()]).toEqual(['COMPLETE', ['P1', 'P5', 'P9_ours', 'P9_ours_unwind']]);
  });

  it('hears of two payments at its first look, and posts both', async () => {
    const trip = await road(SUBMITTED, {
      ...paid('R1'),
      otherPayments: [
        { receipt: 'R2', reversed: false },
        { receipt: 'R3', reversed: false },
      ],
    } as RailAnswer);
    await trip.call('submit');
    await later(trip, 'poll');
    expect(await trip.posted()).toEqual(['P1', 'P5']);
    for (const receipts of [
      ['R2', 'R3'],
      ['R2', 'R3'],
    ]) {
      trip.rail!.will({
        ...paid('R1'),
        otherPayments: receipts.map((receipt) => ({ receipt, reversed: false })),
      } as RailAnswer);
      expect(await later(trip, 'watch', 0)).toBe(1);
    }
    expect([await trip.posted(), await trip.wallet()]).toEqual([['P1', 'P5', 'P9_ours', 'P9_ours'], SPENT]);
  });

  it('owes what stands when the first payment comes back and the second does not', async () => {
    const trip = await road(
      paid('R1'),
      { ...paid('R1'), otherPayments: [{ receipt: 'R2', reversed: false }] } as RailAnswer,
      { ...cameBack('R1'), otherPayments: [{ receipt: 'R2', reversed: false }] } as RailAnswer,
    );
    await trip.call('submit');
    for (let looks = 0; looks < 2; looks++) await later(trip, 'watch', 10_000);
    expect([await trip.state(), await trip.posted(), await trip.wallet(), await trip.debt()]).toEqual([
      'REVERSED',
      ['P1', 'P5', 'P9_ours', 'P8', 'P9_owed'],
      FUNDS,
      AMOUNT,
    ]);
    await trip.collect();
    expect(await trip.wallet()).toBe(FUNDS - AMOUNT);
  });

  it('a rail that takes back what it said is an incident and changes nothing', async () => {
    const trip = await road(paid('R1'), NOT_PAID, MISMATCH);
    await trip.call('submit');
    for (let looks = 0; looks < 2; looks++) await later(trip, 'watch', 10_000);
    expect([await trip.state(), (await trip.incidents()).map(({ event }) => event), await trip.posted()]).toEqual([
      'COMPLETE',
      ['not_paid_last', 'mismatch'],
      ['P1', 'P5'],
    ]);
  });

  it('a debt is taken from what a reversal gives back, before it is in the wallet', async () => {
    const trip = await road(NOT_PAID, paid('LATE'));
    await trip.call('submit');
    await later(trip, 'watch', 10_000);
    const other = await new Road(pg, new ScriptedRail([paid('R1'), cameBack('R1')]), ...[]).acceptedFor(trip.partner);
    await other.start();
    other.clock.advance(20_000);
    await other.start();
    await other.call('submit');
    await later(other, 'watch', 10_000);
    expect([await other.state(), await trip.debt(), await trip.wallet()]).toEqual(['REVERSED', 0n, FUNDS - AMOUNT]);
  });
});

describe('settled by people', () => {
  const inReview = async (): Promise<Road> => {
    const trip = await road(SUBMITTED, MISMATCH);
    await trip.call('submit');
    await later(trip, 'poll');
    expect([await trip.state(), await later(trip, 'poll', 60_000)]).toEqual(['REVIEW', 0]);
    return trip;
  };
  const proposal = (trip: Road, more: object = {}) => ({
    transactionId: trip.id,
    outcome: 'paid' as const,
    receipt: 'R9',
    paidMinor: null,
    evidence: 'statement of 21 November, line 7',
    by: 'Ann',
    ...more,
  });
  const idOf = (result: Awaited<ReturnType<Road['settle']['propose']>>): number => {
    if (!result.ok) throw new Error(result.error.message);
    return result.value.settlementId;
  };

  it('as paid: by two different people, once, and what the rail paid otherwise is ours to resolve', async () => {
    const trip = await inReview();
    const id = idOf(await trip.settle.propose(proposal(trip, { paidMinor: AMOUNT + 100n })));
    expect(await trip.settle.propose(proposal(trip))).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    expect(await trip.settle.approve({ settlementId: id, by: ' ann ' })).toMatchObject({
      ok: false,
      error: { code: 'forbidden' },
    });
    expect(await trip.state()).toBe('REVIEW');
    const both = await Promise.all([
      trip.settle.approve({ settlementId: id, by: 'Ben' }),
      trip.settle.approve({ settlementId: id, by: 'Cleo' }),
    ]);
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'R9' });
    expect([await trip.posted(), await trip.wallet()]).toEqual([['P1', 'P17', 'P5'], SPENT]);
  });

  it('as not paid: the money is back in the wallet', async () => {
    const trip = await inReview();
    const id = idOf(await trip.settle.propose(proposal(trip, { outcome: 'not_paid', receipt: null })));
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { state: 'FAILED' },
    });
    expect([await trip.wallet(), await later(trip, 'watch', 3_600_000)]).toEqual([FUNDS, 0]);
  });

  it('in doubt: what a lapsed call hears comes too late, and what turns up afterwards is a debt', async () => {
    const trip = await road(UNKNOWN);
    await trip.call('submit');
    trip.clock.advance(1_000);
    const [underWay] = await trip.claim('poll');
    const id = idOf(await trip.settle.propose(proposal(trip, { outcome: 'not_paid', receipt: null })));
    trip.clock.advance(LEASE_MS);
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { executed: true, executesBy: null, state: 'FAILED' },
    });
    trip.rail!.will(paid('R1'), paid('R1'));
    await trip.caller.run('poll', underWay!);
    expect([await trip.state(), await trip.wallet()]).toEqual(['FAILED', FUNDS]);
    // What it heard is asked about at once, and not after a minute.
    expect(await trip.call('watch')).toBe(1);
    expect([await trip.state(), await trip.debt()]).toEqual(['FAILED', AMOUNT]);
  });

  it.each([
    ['without evidence', { evidence: ' ' }],
    ['by nobody', { by: '' }],
    ['as paid without a receipt', { receipt: null }],
    ['as not paid with a receipt', { outcome: 'not_paid' }],
    ['as paid with nothing', { paidMinor: 0n }],
  ])('is not proposed %s', async (_, more) => {
    const trip = await road(UNKNOWN);
    await trip.call('submit');
    expect(await trip.settle.propose(proposal(trip, more))).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
  });

  it('is refused where the rail decides, and may be withdrawn', async () => {
    const trip = await road(UNKNOWN, paid('R1'));
    expect(await trip.settle.propose(proposal(trip))).toMatchObject({ ok: false });
    await trip.call('submit');
    const first = idOf(await trip.settle.propose(proposal(trip)));
    expect(await trip.settle.withdraw({ settlementId: first, by: 'ada', reason: 'a typing mistake' })).toMatchObject({
      ok: true,
    });
    expect(await trip.settle.approve({ settlementId: first, by: 'Ben' })).toMatchObject({ ok: false });
    const second = idOf(await trip.settle.propose(proposal(trip)));
    await later(trip, 'poll');
    expect(await trip.state()).toBe('COMPLETE');
    expect(await trip.settle.approve({ settlementId: second, by: 'Ben' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request' },
    });
  });

  it('is on the record with both who agreed, in the commit that carries it out; nobody is two people by another spelling', async () => {
    const trip = await road(UNKNOWN);
    await trip.call('submit');
    const id = idOf(await trip.settle.propose(proposal(trip, { by: 'José Otieno' })));
    expect(await trip.settle.approve({ settlementId: id, by: ' JOSE\u0301  otieno' })).toMatchObject({
      ok: false,
      error: { code: 'forbidden' },
    });
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben ' })).toMatchObject({ ok: true });
    const acts = await listActs(pg.db, { partnerId: trip.partner, limit: 10 });
    expect(acts.map(({ act, by, approvedBy, subject }) => [act, by, approvedBy, subject])).toEqual([
      ['settlement.approved', 'José Otieno', 'Ben', `settlement ${id}`],
      ['settlement.proposed', 'José Otieno', null, `settlement ${id}`],
    ]);
  });
});

describe('the statement', () => {
  it('has attempts looked at that came out otherwise, and leaves the others alone', async () => {
    const trip = await road(paid('R1'), NOT_PAID);
    await trip.call('submit');
    const id = trip.rail!.submitted[0]!;
    const hint = (event: 'paid' | 'not_paid' | 'reversed', receipt: string | null, attemptId = id) =>
      trip.attempts.hint('sandbox', [{ attemptId, event, receipt, isFirst: false }], trip.clock.now());
    expect(await hint('paid', 'R1')).toEqual({ looks: 0, unknown: 0 });
    expect(await hint('paid', 'R2')).toEqual({ looks: 1, unknown: 0 });
    expect(await hint('reversed', 'R1')).toEqual({ looks: 1, unknown: 0 });
    expect(await hint('not_paid', null)).toEqual({ looks: 1, unknown: 0 });
    expect(await hint('paid', 'R1', 'not one of ours')).toEqual({ looks: 0, unknown: 1 });
    expect(await hint('paid', 'R1', '00000000-0000-4000-8000-000000000000')).toEqual({ looks: 0, unknown: 1 });
    expect(await later(trip, 'watch', 0)).toBe(1);
  });

  it('speaks up while a call is under way: what that call hears may be older, so the rail is asked once more', async () => {
    const trip = await road(SUBMITTED, paid('R1'), paid('R1'));
    await trip.call('submit');
    trip.clock.advance(1_000);
    const [underWay] = await trip.claim('poll');
    await trip.attempts.hint(
      'sandbox',
      [{ attemptId: trip.rail!.submitted[0]!, event: 'reversed', receipt: 'R1', isFirst: false }],
      trip.clock.now(),
    );
    await trip.caller.run('poll', underWay!);
    expect([await trip.state(), await trip.call('watch')]).toEqual(['COMPLETE', 1]);
  });

  it.each([
    [
      'a payment that came back',
      paid('R1'),
      'reversed',
      cameBack('R1'),
      { state: 'REVERSED', wallet: FUNDS, debt: 0n },
    ],
    [
      'a payment after its failure, long after the late window',
      NOT_PAID,
      'paid',
      paid('R1'),
      { state: 'FAILED', wallet: FUNDS, debt: AMOUNT },
    ],
  ] as const)(
    'has %s found, also where the first questions about it get no answer',
    async (_what, end, event, found, comesTo) => {
      const rail = new ScriptedRail([end, NO_ANSWER, NO_ANSWER, found]);
      const trip = await (
        await new Road(pg, Object.assign(rail, { statement: () => Promise.resolve(null) })).accepted()
      ).start();
      await trip.call('submit');
      trip.clock.advance(2 * LATE_WINDOW_MS);
      await trip.attempts.hint(
        'sandbox',
        [{ attemptId: rail.submitted[0]!, event, receipt: 'R1', isFirst: true }],
        trip.clock.now(),
      );
      // Asked at once, and then by the schedule of polls.
      for (const waitMs of [0, 1_000, 1_000]) expect(await later(trip, 'watch', waitMs)).toBe(1);
      expect({ state: await trip.state(), wallet: await trip.wallet(), debt: await trip.debt() }).toEqual(comesTo);
    },
  );

  it('a look whose holder died is made again', async () => {
    const trip = await road(NOT_PAID, paid('LATE'));
    await trip.call('submit');
    trip.clock.advance(2_000);
    expect(await trip.claim('watch')).toHaveLength(1);
    expect(await later(trip, 'watch', LEASE_MS + 1)).toBe(1);
    expect(await trip.debt()).toBe(AMOUNT);
  });
});
