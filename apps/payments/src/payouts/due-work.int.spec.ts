import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { StatementEntry, StatementPage, StatementProvider } from '@vuka/payouts';
import type { Logger } from '@vuka/runtime';

import { StaleAlerts } from '../due-work/stale-alerts.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { PaymentReports } from '../admin/payment-reports.js';
import { AMOUNT, FUNDS, Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { PAID, SUBMITTED, UNKNOWN } from '../testing/provider-answers.spec-support.js';
import { ReadStatement } from '../jobs/read-statement.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stop());

const HOUR_MS = 3_600_000;

function recorder(): { alarms: Record<string, unknown>[]; log: Logger } {
  const alarms: Record<string, unknown>[] = [];
  const log = {
    error: (fields: Record<string, unknown>) => alarms.push(fields),
    warn: () => undefined,
    info: () => undefined,
  } as unknown as Logger;
  return { alarms, log };
}

/** Has only a statement. */
class Statement extends ScriptedProvider implements StatementProvider {
  readonly asked: (string | null)[] = [];
  constructor(
    private readonly pages: (StatementPage | null)[],
    id = 'sandbox',
  ) {
    super([], true, id);
  }
  statement(cursor: string | null): Promise<StatementPage | null> {
    this.asked.push(cursor);
    return Promise.resolve(this.pages.shift() ?? null);
  }
}

describe('reading a statement', () => {
  it('goes on where it was left, also after a restart, and tells of payments that are nobody’s', async () => {
    const { alarms, log } = recorder();
    const trip = await new Harness(pg, new ScriptedProvider([])).accepted();
    const foreign = { attemptId: '00000000-0000-4000-8000-00000000abcd', event: 'paid', receipt: 'X1' } as const;
    const provider = new Statement([
      { entries: [foreign], next: '7', more: true },
      { entries: [], next: '9', more: false },
      { entries: [], next: '9', more: false },
    ]);
    const reader = (): ReadStatement =>
      new ReadStatement(provider, trip.attempts, trip.clock, log, { notify: () => undefined });
    const first = reader();
    expect([await first.run(), await first.run(), await reader().run()]).toEqual([false, false, false]);
    expect(provider.asked).toEqual([null, '7', '9', '9']);
    expect(alarms).toEqual([{ code: 'statement_unknown_payment', provider: 'sandbox', payments: 1 }]);
  });

  it('tells a first payment from a second once it has caught up: a poll under way need not be repeated for what it will hear anyway', async () => {
    const trip = await new Harness(pg, new ScriptedProvider([])).accepted();
    const line = (attemptId: string) => ({ attemptId, event: 'paid', receipt: 'X' }) as const;
    const page = (next: string, more: boolean, ...ids: string[]): StatementPage => ({
      entries: ids.map(line),
      next,
      more,
    });
    const provider = new Statement(
      [page('1', true, 'old'), page('2', false, 'old-too'), page('4', false, 'a', 'b'), page('6', false, 'a', 'old')],
      'told_provider',
    );
    const hinted: string[] = [];
    const attempts = {
      hint: async (_: string, entries: readonly { attemptId: string; isFirst: boolean }[]) => {
        hinted.push(...entries.map(({ attemptId, isFirst }) => `${attemptId}${isFirst ? ' first' : ''}`));
        return { checks: 0, unknown: 0, differing: [] };
      },
      statementCursor: async () => null,
      saveStatementCursor: async () => undefined,
    };
    const reader = new ReadStatement(provider, attempts, trip.clock, recorder().log, { notify: () => undefined });
    for (let readings = 0; readings < 3; readings++) await reader.run();
    expect(hinted).toEqual(['old', 'old-too', 'a first', 'b first', 'a', 'old']);
  });

  it('with another amount than we told to pay is an alarm, and the payout is asked about', async () => {
    const { alarms, log } = recorder();
    const trip = await (await new Harness(pg, new ScriptedProvider([PAID])).accepted()).start();
    await trip.call('submit');
    const [attempt] = await pg.db.query<{ amount_minor: string }>(
      'select amount_minor::text from attempts where transaction_id = $1',
      [trip.id],
    );
    const paidMinor = BigInt(attempt?.amount_minor ?? 0);
    const line = (amount: bigint, currency = 'KES') =>
      ({
        attemptId: trip.provider!.submitted[0]!,
        event: 'paid',
        receipt: null,
        amount: money(amount, currency),
      }) as const;
    const read = async (...entries: StatementEntry[]): Promise<number> => {
      let polls = 0;
      const provider = new Statement([{ entries, next: 'x', more: false }]);
      await new ReadStatement(provider, trip.attempts, trip.clock, log, { notify: () => (polls += 1) }).run();
      return polls;
    };
    const alarm = { code: 'statement_amount_differs', provider: 'sandbox', payments: 1, transactions: [trip.id] };
    // It tells no receipt, which differs from none.
    expect(await read(line(paidMinor))).toBe(0);
    expect(alarms).toEqual([]);
    expect(await read(line(paidMinor * 2n))).toBe(1);
    expect(await read(line(paidMinor, 'UGX'))).toBe(1);
    expect(alarms).toEqual([alarm, alarm]);
    expect(await read({ ...line(paidMinor), event: 'not_paid' })).toBe(1);
    expect(alarms).toHaveLength(2);
  });

  it('that is made on demand is read as often as its provider allows, on from what any process has read', async () => {
    const trip = new Harness(pg, new ScriptedProvider([]));
    const provider = new Statement(
      ['a', 'b', 'c'].map((next) => ({ entries: [], next, more: false })),
      'slow_teller',
    );
    Object.assign(provider.promises, { statementEveryMs: 15_000 });
    const [one, two] = [0, 1].map(
      () => new ReadStatement(provider, trip.attempts, trip.clock, recorder().log, { notify: () => undefined }),
    );
    for (let second = 0; second < 15; second++) {
      await one!.run();
      trip.clock.advance(1_000);
    }
    expect(provider.asked).toEqual([null]);
    await two!.run();
    await one!.run();
    expect(provider.asked).toEqual([null, 'a', 'b']);
  });

  it('whose lines, or whose parts for long, cannot be read is an alarm at once', async () => {
    const { alarms, log } = recorder();
    const trip = new Harness(pg, new ScriptedProvider([]));
    const provider = new Statement([{ entries: [], next: '1', more: true, unreadable: 2 }, { entries: [], next: '2', more: false, trouble: 'mw MWK, 3 times: FAILED' }], 'broken_teller'); // prettier-ignore
    await new ReadStatement(provider, trip.attempts, trip.clock, log, { notify: () => undefined }).run();
    const code = { code: 'statement_unreadable', provider: 'broken_teller' };
    expect(alarms).toEqual([
      { ...code, lines: 2 },
      { ...code, detail: 'mw MWK, 3 times: FAILED' },
    ]);
  });

  it('that fails again and again is an alarm, once, and the cursor stays', async () => {
    const { alarms, log } = recorder();
    const trip = new Harness(pg, new ScriptedProvider([]));
    const provider = new Statement([], 'silent_provider');
    const reader = new ReadStatement(provider, trip.attempts, trip.clock, log, { notify: () => undefined });
    for (let readings = 0; readings < 130; readings++) expect(await reader.run()).toBe(false);
    expect(alarms).toEqual([{ code: 'statement_unreadable', provider: 'silent_provider' }]);
    expect(new Set(provider.asked)).toEqual(new Set([null]));
  });
});

describe('payouts without an end', () => {
  it('are told by provider and state after an hour, are listed as stuck, and are settled by two people then', async () => {
    const { alarms, log } = recorder();
    const [slow, other] = [new ScriptedProvider([SUBMITTED]), new ScriptedProvider([SUBMITTED], false, 'sandbox_b')];
    const trip = await (await new Harness(pg, slow).accepted()).start();
    await trip.call('submit');
    const beside = await (await new Harness(pg, undefined, other).accepted()).start();
    await beside.call('submit');
    const pager = new StaleAlerts(pg.db, trip.clock, log);
    const told = (): unknown[] => alarms.filter(({ code }) => code === 'payouts_without_end');
    const settle = (): Promise<{ ok: boolean }> =>
      trip.settle.propose({
        transactionId: trip.id,
        outcome: 'not_paid',
        receipt: null,
        paid: null,
        evidence: 'their mail of today',
        by: 'Ann',
      });
    const reports = trip.partsWith().get(PaymentReports);
    const stuck = async (): Promise<unknown[]> =>
      (await reports.stuck()).in_doubt.filter(({ transaction_id: id }) => id === trip.id);
    trip.clock.advance(HOUR_MS - 2_000);
    slow.will(SUBMITTED);
    await trip.call('poll');
    await pager.run();
    expect([told(), await stuck(), (await settle()).ok]).toEqual([[], [], false]);
    trip.clock.advance(60_000);
    await pager.run();
    expect(told()).toMatchObject([
      { provider: 'sandbox', state: 'PENDING', waiting: 1, oldest_minutes: 60 },
      { provider: 'sandbox_b', state: 'PENDING', waiting: 1, oldest_minutes: 60 },
    ]);
    expect(await stuck()).toMatchObject([{ state: 'SUBMITTED', provider: 'sandbox' }]);
    expect(await settle()).toMatchObject({ ok: true });
    const [open] = await pg.db.query<{ id: string }>(`select id from settlements where transaction_id = $1`, [trip.id]);
    expect(await trip.settle.approve({ settlementId: Number(open?.id), by: 'Ben' })).toMatchObject({ ok: true });
    expect([await trip.state(), await trip.wallet()]).toEqual(['FAILED', FUNDS]);
    // What the provider pays all the same is owed.
    slow.will(PAID);
    trip.clock.advance(HOUR_MS);
    expect([await trip.call('watch'), await trip.state(), await trip.debt()]).toEqual([1, 'FAILED', AMOUNT]);
  });
});

describe('paging by age', () => {
  it('calls people for what waits too long, and not before', async () => {
    const { alarms, log } = recorder();
    const inDoubt = await (await new Harness(pg, new ScriptedProvider([UNKNOWN])).accepted()).start();
    await inDoubt.call('submit');
    const parked = await (await new Harness(pg, undefined).accepted()).start();
    expect([await inDoubt.state(), await parked.state()]).toEqual(['IN_DOUBT', 'QUEUED']);
    const pager = new StaleAlerts(pg.db, inDoubt.clock, log);
    await pager.run();
    expect(alarms).toEqual([]);
    inDoubt.clock.advance(62_000);
    await pager.run();
    expect(alarms.map(({ what, waiting }) => [what, waiting])).toEqual([['parked', 1]]);
    inDoubt.clock.advance(15 * 60_000);
    await pager.run();
    expect(alarms.slice(1)).toContainEqual({
      code: 'waits_for_people',
      what: 'IN_DOUBT',
      provider: 'sandbox',
      waiting: 1,
      oldest_minutes: 16,
    });
  });
});
