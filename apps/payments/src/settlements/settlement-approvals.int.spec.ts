import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listAuditEntries } from '@vuka/persistence';

import { openAdminOn } from '../testing/admin.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { FUNDS, LEASE_MS, Harness } from '../testing/payout-harness.spec-support.js';
import { PAID } from '../testing/provider-answers.spec-support.js';
import { approvedBeside, inDoubt, posted, proposed, settlementOf } from '../testing/settlement-harness.spec-support.js';
import { SettlePayout } from './settle-payout.js';

/** An agreement is carried out once, despite crashes and concurrent runs. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

describe('an approval', () => {
  it('is applied at once if no call is running', async () => {
    const trip = await inDoubt(pg);
    const id = await proposed(trip);
    expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
      ok: true,
      value: { executed: true, executesBy: null, state: 'FAILED', status: 'FAILED' },
    });
  });

  it('of a process that dies before it applies it is applied by another process', async () => {
    const trip = await inDoubt(pg);
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
    const other = new Harness(pg, trip.provider);
    await other.executor.runDue();
    expect([await posted(trip), await settlementOf(trip, id)]).toMatchObject([
      ['FAILED', ['payout_held', 'payout_released'], FUNDS, 0n],
      { isExecuted: true, agreed: { by: 'Ben' } },
    ]);
  });

  it('is still applied if the process dies between its fence and its commit', async () => {
    const trip = await inDoubt(pg);
    const { id } = await approvedBeside(trip);
    trip.clock.advance(LEASE_MS);
    expect(
      await trip.attempts.takeOver({ transactionId: trip.id, attemptNo: 1, settlementId: id }, trip.clock.now()),
    ).toBeGreaterThan(0);
    await trip.executor.runDue();
    expect(await posted(trip)).toEqual(['FAILED', ['payout_held', 'payout_released'], FUNDS, 0n]);
  });

  it('is applied once, also by concurrent processes', async () => {
    const trip = await inDoubt(pg);
    const { id } = await approvedBeside(trip);
    trip.clock.advance(LEASE_MS);
    const executors = Array.from({ length: 4 }, () => {
      const other = new Harness(pg, trip.provider);
      other.clock.set(trip.clock.now());
      return other.executor;
    });
    await Promise.all(executors.map((executor) => executor.run(id)));
    expect([await posted(trip), await settlementOf(trip, id)]).toMatchObject([
      ['FAILED', ['payout_held', 'payout_released'], FUNDS, 0n],
      { isExecuted: true, isWithdrawn: false },
    ]);
  });

  it('is repeated to its approver, and nobody else can approve or withdraw it', async () => {
    const trip = await inDoubt(pg);
    const { id } = await approvedBeside(trip);
    expect(await trip.settle.approve({ settlementId: id, by: 'ben' })).toMatchObject({
      ok: true,
      value: { executed: false },
    });
    expect(await trip.settle.approve({ settlementId: id, by: 'Cleo' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringContaining('Ben approved the settlement already') },
    });
    expect(await trip.settle.withdraw({ settlementId: id, by: 'Ann', reason: 'a mistake' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringContaining('Ben approved the settlement already') },
    });
    expect(
      await trip.settle.propose({
        transactionId: trip.id,
        outcome: 'not_paid',
        receipt: null,
        paid: null,
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
      error: { message: 'The settlement has been applied already' },
    });
  });

  it('is on the record in the commit that gives it, once', async () => {
    const trip = await inDoubt(pg);
    const { id } = await approvedBeside(trip);
    const acts = async (): Promise<unknown> =>
      (await listAuditEntries(pg.db, { partnerId: trip.partner, limit: 10 })).map(
        ({ act, by, approvedBy, subject }) => [act, by, approvedBy, subject],
      );
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
    const overtaken = await inDoubt(pg);
    const { underWay } = await approvedBeside(overtaken);
    const done = await inDoubt(pg);
    const { id } = await approvedBeside(done);
    const admin = await openAdminOn(pg, done.clock);
    try {
      const shown = async (trip: Harness): Promise<unknown> =>
        (await admin.methods.report.run(trip.id))?.settlements[0];
      const at = expect.stringMatching(/^\d{4}-/);
      const byBen = { approved_by: 'Ben', approved_at: at };
      expect(await shown(done)).toMatchObject({
        ...byBen,
        state: 'scheduled',
        executed_at: null,
        executes_by: at,
        withdrawn_at: null,
      });
      expect(
        (await admin.methods.stuck.run()).in_doubt.find(({ transaction_id: one }) => one === done.id),
      ).toMatchObject({
        settlement_id: id,
        settlement_approved_at: at,
      });
      overtaken.provider!.will(PAID);
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
      await admin.close();
    }
  });

  it('that cannot be applied does not block others', async () => {
    const stuck = await inDoubt(pg);
    const { id: failing } = await approvedBeside(stuck);
    const trip = await inDoubt(pg);
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
