import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RailAnswer } from '@vuka/payouts';
import { listActs } from '@vuka/persistence';
import { Cipher } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { PaymentsDesk } from '../admin/payments-desk.js';
import { HttpRail } from '../testing/http-rail.spec-support.js';
import { silent, startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { AMOUNT, FEE, FUNDS, LEASE_MS, Road, ScriptedRail } from '../testing/payout-road.spec-support.js';
import type { ClaimedAttempt } from '../transactions/transaction.store.js';
import { SettlePayout, type SettlementProposal } from './settle-payout.js';
import type { Settlement } from './settlement.store.js';

/** What people agree on waits for the call that is out, keeps every other one away, and yields to what that call hears. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const SPENT = FUNDS - AMOUNT - FEE;
const SUBMITTED: RailAnswer = { outcome: 'submitted' };
const UNKNOWN: RailAnswer = { outcome: 'unknown', detail: 'timeout' };
const NOT_FOUND: RailAnswer = { outcome: 'unknown', detail: 'the rail does not know our id', notFound: true };
const PAID: RailAnswer = { outcome: 'succeeded', receipt: 'R1', publicName: null, amountMinor: AMOUNT, recipient: '1' };

const NOT_PAID: RailAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' };
const MISMATCH: RailAnswer = { outcome: 'mismatch', detail: '' };

/** In doubt: its first submit had no answer. */
async function inDoubt(rail: ScriptedRail = new ScriptedRail([UNKNOWN])): Promise<Road> {
  const trip = await (await new Road(pg, rail).accepted()).start();
  await trip.call('submit');
  expect(await trip.state()).toBe('IN_DOUBT');
  trip.clock.advance(1_000);
  return trip;
}

async function proposed(trip: Road, more: Partial<SettlementProposal> = {}): Promise<number> {
  const result = await trip.settle.propose({
    transactionId: trip.id,
    outcome: 'not_paid',
    receipt: null,
    paidMinor: null,
    evidence: 'the rail has no such payment',
    by: 'Ann',
    ...more,
  });
  if (!result.ok) throw new Error(result.error.message);
  return result.value.settlementId;
}

/** Proposed and approved while this claim is under way. */
async function approvedBeside(trip: Road): Promise<{ id: number; underWay: ClaimedAttempt }> {
  const [underWay] = await trip.claim('poll');
  const id = await proposed(trip);
  expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
    ok: true,
    value: {
      executed: false,
      executesBy: new Date(trip.clock.now().getTime() + LEASE_MS),
      state: 'IN_DOUBT',
      status: 'PROCESSING',
    },
  });
  return { id, underWay: underWay! };
}

const settlementOf = async (trip: Road, id: number): Promise<Settlement> => (await trip.settlements.byId(id))!;
const posted = async (trip: Road): Promise<unknown> => [
  await trip.state(),
  await trip.posted(),
  await trip.wallet(),
  await trip.debt(),
];

describe('an approval while a call is out', () => {
  it('waits for it: the rail holds the call, people approve as not paid, the call then pays, and it is paid and nothing given back', async () => {
    const rail = await HttpRail.start({ callTimeoutMs: 10_000 });
    try {
      const submit = rail.submit.bind(rail);
      rail.submit = () => Promise.resolve(UNKNOWN);
      const trip = await inDoubt(rail);
      rail.submit = submit;
      const answer = rail.server.holdAnswers();
      const [underWay] = await trip.claim('poll');
      const calling = trip.caller.run('poll', underWay!);
      await until(() => Promise.resolve(rail.server.submits.size === 1), {
        withinMs: 10_000,
        what: 'the repeat is at the rail',
      });
      const id = await proposed(trip);
      expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
        ok: true,
        value: { executed: false },
      });
      await trip.executor.runDue();
      expect(await posted(trip)).toEqual(['IN_DOUBT', ['P1'], SPENT, 0n]);
      // The rail has paid by now, and its answer says so.
      rail.query = () => Promise.resolve(PAID);
      answer();
      await calling;
      expect(await trip.state()).toBe('SUBMITTED');
      await trip.executor.runDue();
      trip.clock.advance(10_000);
      expect(await trip.call('poll')).toBe(1);
      expect(await posted(trip)).toEqual(['COMPLETE', ['P1', 'P5'], SPENT, 0n]);
      expect([rail.server.receiptsGiven.length, await settlementOf(trip, id)]).toMatchObject([
        1,
        { isExecuted: false, isWithdrawn: true, supersededWhy: expect.stringContaining('SUBMITTED') },
      ]);
    } finally {
      await rail.stop();
    }
  });

  it('keeps a repeat from leaving that had not left: it is carried out when the call has ended', async () => {
    const trip = await inDoubt();
    const [underWay] = await trip.claim('poll');
    let id = 0;
    trip.rail!.query = async () => {
      id = await proposed(trip);
      expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
        ok: true,
        value: { executed: false },
      });
      return NOT_FOUND;
    };
    await trip.caller.run('poll', underWay!);
    expect([trip.rail!.submitted.length, await trip.state()]).toEqual([1, 'IN_DOUBT']);
    await trip.executor.runDue();
    expect(await posted(trip)).toEqual(['FAILED', ['P1', 'P6'], FUNDS, 0n]);
    expect(await settlementOf(trip, id)).toMatchObject({ isExecuted: true });
  });

  it('has no new call start, and is carried out when the lease of a call that never ends has run out', async () => {
    const trip = await inDoubt();
    const { id } = await approvedBeside(trip);
    trip.clock.advance(LEASE_MS - 1);
    await trip.executor.runDue();
    expect([await trip.state(), await trip.claim('poll'), await trip.claim('submit')]).toEqual(['IN_DOUBT', [], []]);
    trip.clock.advance(1);
    await trip.executor.runDue();
    expect(await posted(trip)).toEqual(['FAILED', ['P1', 'P6'], FUNDS, 0n]);
    expect([await settlementOf(trip, id), await trip.claim('poll'), await trip.claim('submit')]).toMatchObject([
      { isExecuted: true },
      [],
      [],
    ]);
  });

  it.each([
    ['paid', PAID, 'COMPLETE', ['P1', 'P5']],
    ['not paid', NOT_PAID, 'FAILED', ['P1', 'P6']],
    ['submitted', SUBMITTED, 'SUBMITTED', ['P1']],
    ['a mismatch', MISMATCH, 'REVIEW', ['P1']],
  ])('yields to what the call hears: %s', async (_, answer, state, postings) => {
    const trip = await inDoubt();
    const { id, underWay } = await approvedBeside(trip);
    trip.rail!.will(answer);
    await trip.caller.run('poll', underWay);
    await trip.executor.runDue();
    expect([await trip.state(), await trip.posted()]).toEqual([state, postings]);
    expect(await settlementOf(trip, id)).toMatchObject({
      isExecuted: false,
      isWithdrawn: true,
      supersededWhy: expect.stringContaining(state),
    });
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringContaining('superseded') },
    });
  });

  it.each([
    ['not paid, and it was paid', {}, PAID, 'succeeded'],
    ['paid, and it was not', { outcome: 'paid', receipt: 'R9' }, NOT_PAID, 'not_paid_last'],
  ] as const)('yields in review, where what a call hears is only recorded: %s', async (_, proposal, answer, event) => {
    const trip = await inDoubt(new ScriptedRail([UNKNOWN, MISMATCH, answer]));
    await trip.call('poll');
    expect(await trip.state()).toBe('REVIEW');
    await trip.attempts.lookAtOnce(trip.id, 1, trip.clock.now());
    const [underWay] = await trip.claim('poll');
    const id = await proposed(trip, proposal);
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { executed: false, state: 'REVIEW' },
    });
    await trip.caller.run('poll', underWay!);
    trip.clock.advance(LEASE_MS);
    await trip.executor.runDue();
    expect(await posted(trip)).toEqual(['REVIEW', ['P1'], SPENT, 0n]);
    expect(await settlementOf(trip, id)).toMatchObject({
      isExecuted: false,
      isWithdrawn: true,
      supersededWhy: `the provider answered first: in REVIEW it said ${event}`,
    });
    const again = await proposed(trip, { outcome: 'paid', receipt: 'R1' });
    expect(await trip.settle.approve({ settlementId: again, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { executed: true, state: 'COMPLETE' },
    });
  });

  it('lets calls go on where it was superseded, and people settle anew', async () => {
    const trip = await inDoubt();
    const { underWay } = await approvedBeside(trip);
    trip.rail!.will(SUBMITTED, NOT_FOUND);
    await trip.caller.run('poll', underWay);
    trip.clock.advance(1_000);
    expect(await trip.claim('poll')).toEqual([]);
    await trip.executor.runDue();
    expect([await trip.call('poll'), await trip.state()]).toEqual([1, 'IN_DOUBT']);
    const again = await proposed(trip);
    expect(await trip.settle.approve({ settlementId: again, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { executed: true, state: 'FAILED' },
    });
  });

  it('is late news what the lapsed call hears after it was carried out: asked about at once, and owed', async () => {
    const trip = await inDoubt();
    const { underWay } = await approvedBeside(trip);
    trip.clock.advance(LEASE_MS);
    await trip.executor.runDue();
    trip.rail!.will(PAID, PAID);
    await trip.caller.run('poll', underWay);
    expect([await trip.call('watch'), await posted(trip)]).toEqual([1, ['FAILED', ['P1', 'P6', 'P9'], FUNDS, AMOUNT]]);
  });
});

describe('an approval', () => {
  it('is carried out at once where no call is out', async () => {
    const trip = await inDoubt();
    const id = await proposed(trip);
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { executed: true, executesBy: null, state: 'FAILED', status: 'FAILED' },
    });
  });

  it('of a process that dies before it carries it out is carried out by another one', async () => {
    const trip = await inDoubt();
    const id = await proposed(trip);
    const dying = new SettlePayout(
      trip.settlements,
      trip.machine,
      trip.store,
      { run: () => Promise.reject(new Error('killed')) },
      trip.clock,
    );
    await expect(dying.approve({ settlementId: id, by: 'Ben' })).rejects.toThrow('killed');
    expect([await trip.state(), await trip.claim('poll')]).toEqual(['IN_DOUBT', []]);
    const other = new Road(pg, trip.rail);
    await other.executor.runDue();
    expect([await posted(trip), await settlementOf(trip, id)]).toMatchObject([
      ['FAILED', ['P1', 'P6'], FUNDS, 0n],
      { isExecuted: true, agreed: { by: 'Ben' } },
    ]);
  });

  it('between whose fence and whose commit the process dies is carried out all the same', async () => {
    const trip = await inDoubt();
    const { id } = await approvedBeside(trip);
    trip.clock.advance(LEASE_MS);
    expect(
      await trip.attempts.takeOver({ transactionId: trip.id, attemptNo: 1, settlementId: id }, trip.clock.now()),
    ).toBeGreaterThan(0);
    await trip.executor.runDue();
    expect(await posted(trip)).toEqual(['FAILED', ['P1', 'P6'], FUNDS, 0n]);
  });

  it('is carried out once, whoever does it at the same time', async () => {
    const trip = await inDoubt();
    const { id } = await approvedBeside(trip);
    trip.clock.advance(LEASE_MS);
    const executors = Array.from({ length: 4 }, () => {
      const other = new Road(pg, trip.rail);
      other.clock.set(trip.clock.now());
      return other.executor;
    });
    await Promise.all(executors.map((executor) => executor.run(id)));
    expect([await posted(trip), await settlementOf(trip, id)]).toMatchObject([
      ['FAILED', ['P1', 'P6'], FUNDS, 0n],
      { isExecuted: true, isWithdrawn: false },
    ]);
  });

  it('is told again to who has given it, and is nobody else’s to give or to take back', async () => {
    const trip = await inDoubt();
    const { id } = await approvedBeside(trip);
    expect(await trip.settle.approve({ settlementId: id, by: 'ben' })).toMatchObject({
      ok: true,
      value: { executed: false },
    });
    expect(await trip.settle.approve({ settlementId: id, by: 'Cleo' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringContaining('approved by Ben') },
    });
    expect(await trip.settle.withdraw({ settlementId: id, by: 'Ann', reason: 'a mistake' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringContaining('approved by Ben') },
    });
    expect(
      await trip.settle.propose({
        transactionId: trip.id,
        outcome: 'not_paid',
        receipt: null,
        paidMinor: null,
        evidence: 'x',
        by: 'Ann',
      }),
    ).toMatchObject({ ok: false });
    trip.clock.advance(LEASE_MS);
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { executed: true, state: 'FAILED' },
    });
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
      ok: false,
      error: { message: 'The settlement has been carried out' },
    });
  });

  it('is on the record in the commit that gives it, once', async () => {
    const trip = await inDoubt();
    const { id } = await approvedBeside(trip);
    const acts = async (): Promise<unknown> =>
      (await listActs(pg.db, { partnerId: trip.partner, limit: 10 })).map(({ act, by, approvedBy, subject }) => [
        act,
        by,
        approvedBy,
        subject,
      ]);
    const both = [
      ['settlement.approved', 'Ann', 'Ben', `settlement ${id}`],
      ['settlement.proposed', 'Ann', null, `settlement ${id}`],
    ];
    expect(await acts()).toEqual(both);
    trip.clock.advance(LEASE_MS);
    await trip.executor.runDue();
    expect([await trip.state(), await acts()]).toEqual(['FAILED', both]);
  });

  it('that waits is shown as such, then as carried out or as superseded', async () => {
    const overtaken = await inDoubt();
    const { underWay } = await approvedBeside(overtaken);
    const done = await inDoubt();
    const { id } = await approvedBeside(done);
    const desk = await PaymentsDesk.open({
      database: pg.config,
      cipher: new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]),
      clock: done.clock,
      log: silent,
      rails: ['sandbox'],
    });
    try {
      const shown = async (trip: Road): Promise<unknown> => (await desk.report(trip.id))?.settlements[0];
      const at = expect.stringMatching(/^\d{4}-/);
      const byBen = { approved_by: 'Ben', approved_at: at };
      expect(await shown(done)).toMatchObject({
        ...byBen,
        state: 'scheduled',
        executed_at: null,
        executes_by: at,
        withdrawn_at: null,
      });
      expect((await desk.stuck()).in_doubt.find(({ transaction_id: one }) => one === done.id)).toMatchObject({
        settlement_id: id,
        settlement_approved_at: at,
      });
      overtaken.rail!.will(PAID);
      await overtaken.caller.run('poll', underWay);
      done.clock.advance(LEASE_MS);
      await done.executor.runDue();
      expect([await shown(done), await shown(overtaken)]).toMatchObject([
        { ...byBen, state: 'approved', executed_at: at, executes_by: null, superseded_why: null },
        {
          ...byBen,
          state: 'superseded',
          executed_at: null,
          executes_by: null,
          withdrawn_at: at,
          superseded_why: 'the provider answered first: from IN_DOUBT it came to COMPLETE',
        },
      ]);
    } finally {
      await desk.close();
    }
  });

  it('that cannot be carried out holds up no other', async () => {
    const stuck = await inDoubt();
    const { id: failing } = await approvedBeside(stuck);
    const trip = await inDoubt();
    await approvedBeside(trip);
    trip.clock.set(new Date(Math.max(stuck.clock.now().getTime(), trip.clock.now().getTime()) + LEASE_MS));
    const { byId } = trip.settlements;
    trip.settlements.byId = (id) =>
      id === failing ? Promise.reject(new Error('a bug')) : byId.call(trip.settlements, id);
    await trip.executor.runDue();
    expect([await stuck.state(), await trip.state()]).toEqual(['IN_DOUBT', 'FAILED']);
    trip.settlements.byId = byId;
    await trip.executor.runDue();
    expect(await stuck.state()).toBe('FAILED');
  });
});
