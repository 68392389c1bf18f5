import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Acceptance, CallContext } from '@vuka/contracts';
import { applyTerms, CURRENCIES, type Currencies, type PayoutDestination, type Result } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import { ManualClock, uuidv7 } from '@vuka/runtime';
import { CURRENCIES_IN_FORCE } from '@vuka/service-host';

import { CommitWriter } from '../../commit/commit-writer.js';
import { acceptance, failure, kes, opening } from '../../commit/commits.spec-support.js';
import { encodeCommits } from '../../commit/encode-commits.js';
import type { PaymentCommit, VelocityCount } from '../../commit/payment-commit.js';
import { VELOCITY_KEPT_MS, VelocityStore } from '../../commit/velocity.store.js';
import { nextHash, PayHarness } from '../../testing/pay-harness.spec-support.js';
import { partsOn, type Parts } from '../../testing/parts.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../../testing/payments-database.spec-support.js';
import { Wallets } from '../../wallets/wallets.js';
import { AcceptPayout, type AcceptPayoutInput } from './accept-payout.js';

const CONTEXT: CallContext = { requestId: 'r-1', traceparent: '00-1', deadline: Number.MAX_SAFE_INTEGER };
const NOON = new Date('2026-11-28T12:10:00.000Z');
const phone = (last: number): PayoutDestination => ({
  kind: 'mobile',
  phone: `+2547123456${String(last).padStart(2, '0')}`,
  mobile_network: 'Safaricom',
});

let pg: PaymentsDatabase;
let other: Database;
let partner = 5_000;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  other = await pg.connect();
}, 60_000);
afterAll(() => pg.stopWhole());

function terms(...rows: readonly object[]): Currencies {
  const applied = applyTerms(CURRENCIES, { velocity_limits: rows.map((row) => ({ currency: 'KES', ...row })) });
  if (!applied.ok) throw new Error(applied.error);
  return applied.value;
}

/** One partner, whose requests reach two processes by turns. */
class Deployment {
  readonly clock = new ManualClock(NOON);
  readonly partner = ++partner;
  readonly processes: readonly Parts[];
  private asked = 0;

  constructor(limits: Currencies) {
    this.processes = [pg.db, other].map((db) => partsOn(db, this.clock, [], [CURRENCIES_IN_FORCE, limits]));
  }

  async funded(minor = 1_000_000_00n): Promise<this> {
    const openings = [{ currency: 'KES', amount_minor: minor.toString() }];
    await this.processes[0]?.get(Wallets).openInSandbox({ partner_id: this.partner, openings });
    return this;
  }

  ask(more: Partial<AcceptPayoutInput> = {}, key: string | null = 'vk_test_consumer_a'): Promise<Result<Acceptance>> {
    const process = this.processes[this.asked++ % 2] as Parts;
    return process.get(AcceptPayout).run(
      { operation: 'disburse', partner_id: this.partner, transaction_code: uuidv7(), fingerprint: 'v1:a', currency: 'KES',
        amount_minor: '10000', fee_minor: '0', destination: phone(1), callback_url: null, ...(key !== null && { key_id: key }), ...more },
      CONTEXT,
    ); // prettier-ignore
  }

  async accepted(): Promise<{ sum: string; payouts: number }> {
    const [row] = await pg.db.query<{ sum: string; payouts: number }>(
      'select coalesce(sum(amount_minor), 0)::text as sum, count(*)::integer as payouts from transactions where partner_id = $1',
      [this.partner],
    );
    return row as { sum: string; payouts: number };
  }

  counters(): Promise<{ per: string; span: string; amount: string; payouts: number }[]> {
    return pg.db.query(
      `select per, span, amount_minor::text as amount, payouts from velocity_counters where partner_id = $1 order by per, span, starts_at`,
      [this.partner],
    );
  }
}

const told = (answers: readonly Result<Acceptance>[]): string[] =>
  answers.map((answer) => (answer.ok ? 'accepted' : answer.error.code));
const howMany = (answers: readonly Result<Acceptance>[], what: string): number =>
  told(answers).filter((each) => each === what).length;

describe('what two processes accept at once', () => {
  it('never exceeds the amount, and leaves nothing of it unused', async () => {
    const here = await new Deployment(terms({ per: 'partner', window: 'day', amount: '2500' })).funded();
    const answers = await Promise.all(Array.from({ length: 80 }, () => here.ask()));
    expect([howMany(answers, 'accepted'), howMany(answers, 'limit_exceeded')]).toEqual([25, 55]);
    expect(await here.accepted()).toEqual({ sum: '250000', payouts: 25 });
    expect(await here.counters()).toEqual([{ per: 'partner', span: 'day', amount: '250000', payouts: 25 }]);
  });

  it.each([1, 2, 3])('stays below every limit, whatever the amounts and recipients (seed %i)', async (seed) => {
    const here = await new Deployment(
      terms(
        { per: 'partner', window: 'day', amount: '3000' },
        { per: 'key', window: 'hour', amount: '1100.50', count: 9 },
        { per: 'recipient', window: 'hour', amount: '600' },
        { per: 'recipient', window: 'day', count: 4 },
      ),
    ).funded();
    let state = seed;
    const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
    const answers = await Promise.all(
      Array.from({ length: 120 }, () =>
        here.ask({
          amount_minor: String(2_000 + random(30_000)),
          destination: phone(random(6)),
          key_id: `vk_test_consumer_${random(3)}`,
        }),
      ),
    );
    expect(howMany(answers, 'accepted') + howMany(answers, 'limit_exceeded')).toBe(120);
    expect(howMany(answers, 'accepted')).toBeGreaterThan(5);
    const most: Record<string, [bigint, number]> = {
      'partner day': [3_000_00n, 1_000],
      'key hour': [1_100_50n, 9],
      'recipient hour': [600_00n, 1_000],
      'recipient day': [10n ** 12n, 4],
    };
    const sums = { partner: 0n, key: 0n, recipient: 0n } as Record<string, bigint>;
    for (const { per, span, amount, payouts } of await here.counters()) {
      const [amountMost, countMost] = most[`${per} ${span}`] as [bigint, number];
      expect([BigInt(amount) <= amountMost, payouts <= countMost]).toEqual([true, true]);
      if (`${per} ${span}` !== 'recipient day') sums[per] = (sums[per] ?? 0n) + BigInt(amount);
    }
    const { sum } = await here.accepted();
    expect(sums).toEqual({ partner: BigInt(sum), key: BigInt(sum), recipient: BigInt(sum) });
  });
});

describe('a payout that does not fit', () => {
  it('records nothing, says when it fits again, and is accepted then under its reference', async () => {
    const here = await new Deployment(terms({ per: 'recipient', window: 'hour', amount: '150' })).funded();
    expect(await here.ask()).toMatchObject({ ok: true });
    const late = { transaction_code: 'late', destination: phone(1) };
    expect(await here.ask(late)).toMatchObject({
      ok: false,
      error: {
        code: 'limit_exceeded',
        message:
          'The limit is reached: 150.00 KES an hour for one recipient. It counts from 0 again at 2026-11-28T13:00:00.000Z; nothing was recorded',
      },
    });
    expect(await here.accepted()).toEqual({ sum: '10000', payouts: 1 });
    expect(await here.ask({ destination: phone(2) })).toMatchObject({ ok: true });
    here.clock.advance(50 * 60_000);
    expect(await here.ask(late)).toMatchObject({ ok: true, value: { replayed: false } });
  });

  it('is told that it never fits, where it alone is too much', async () => {
    const here = await new Deployment(terms({ per: 'partner', window: 'day', amount: '99.99' })).funded();
    expect(await here.ask()).toMatchObject({
      ok: false,
      error: { message: '100.00 is more than the limit allows: 99.99 KES a day for all your payouts' },
    });
  });

  it('waits for the day where hour and day are both reached', async () => {
    const here = await new Deployment(
      terms({ per: 'key', window: 'hour', count: 1 }, { per: 'key', window: 'day', count: 1 }),
    ).funded();
    expect(told([await here.ask(), await here.ask({ key_id: 'vk_test_consumer_b' })])).toEqual([
      'accepted',
      'accepted',
    ]);
    const answer = await here.ask();
    expect(answer.ok ? '' : answer.error.message).toContain('1 payout a day for one API key');
    expect(answer.ok ? '' : answer.error.message).toContain('2026-11-29T00:00:00.000Z');
  });

  it('cannot hide behind a missing key', async () => {
    const here = await new Deployment(terms({ per: 'key', window: 'hour', count: 1 })).funded();
    expect(told([await here.ask({}, null), await here.ask({}, null)])).toEqual(['accepted', 'limit_exceeded']);
  });
});

describe('the limits of one partner', () => {
  it('are those that the gateway sends, none where none are left', async () => {
    const here = await new Deployment(terms({ per: 'partner', window: 'day', count: 1 })).funded();
    await here.ask();
    const own = [{ per: 'partner' as const, window: 'day' as const, amount_minor: null, count: 2 }];
    const answers = [
      await here.ask(),
      await here.ask({ velocity_limits: own }),
      await here.ask({ velocity_limits: own }),
      await here.ask({ velocity_limits: [] }),
    ];
    expect(told(answers)).toEqual(['limit_exceeded', 'accepted', 'limit_exceeded', 'accepted']);
  });
});

describe('what counts', () => {
  it('is each request once, however often it is sent, also when the limit is reached since', async () => {
    const here = await new Deployment(terms({ per: 'partner', window: 'day', count: 2 })).funded();
    const same = { transaction_code: 'same' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => here.ask(same)));
    expect(howMany(answers, 'accepted')).toBe(20);
    expect(told([await here.ask(), await here.ask(), await here.ask(same)])).toEqual([
      'accepted',
      'limit_exceeded',
      'accepted',
    ]);
    expect(await here.counters()).toEqual([{ per: 'partner', span: 'day', amount: '20000', payouts: 2 }]);
  });

  it('is not what the wallet lacked money for, in the same batch neither', async () => {
    const here = await new Deployment(terms({ per: 'partner', window: 'day', amount: '120' })).funded(100_00n);
    const [process] = here.processes;
    const ask = (amount_minor: string) =>
      process!.get(AcceptPayout).run(
        { operation: 'disburse', partner_id: here.partner, transaction_code: uuidv7(), fingerprint: 'v1:a', currency: 'KES',
          amount_minor, fee_minor: '0', destination: phone(1), callback_url: null },
        CONTEXT,
      ); // prettier-ignore
    const [poor, ...others] = told(await Promise.all([ask('11000'), ask('5000'), ask('5000'), ask('5000')]));
    expect([poor, ...others.sort()]).toEqual(['insufficient_balance', 'accepted', 'accepted', 'limit_exceeded']);
  });

  it('costs nothing where no terms limit it', () => {
    const [, batch] = encodeCommits([acceptance(1, 10_00n)], NOON);
    expect(batch).not.toContain('velocity');
  });
});

describe('a payout that fails', () => {
  const perDay: VelocityCount = {
    limit: { per: 'partner', window: 'day', maxMinor: 100_00n, maxCount: null },
    subject: '',
  };
  const counted = (of: number, minor: bigint): PaymentCommit => {
    const move = acceptance(of, minor);
    return { ...move, insertion: { ...move.insertion!, velocity: [perDay] } };
  };

  it('gives its amount back, once, in the commit in which it fails', async () => {
    const here = new Deployment(CURRENCIES);
    const [one, two] = here.processes.map((process) => process.get(CommitWriter)) as [CommitWriter, CommitWriter];
    await one.commit(opening(here.partner, 1_000_00n), 'foreground');
    const first = counted(here.partner, 60_00n);
    expect(await one.commit(first, 'foreground')).toEqual({ outcome: 'ok' });
    // Sent again after a lost answer.
    expect(await two.commit(first, 'foreground')).toEqual({ outcome: 'ok' });
    expect(await two.commit(counted(here.partner, 60_00n), 'foreground')).toEqual({ outcome: 'limited', reached: 0 });
    const failed = failure(first);
    expect([await one.commit(failed, 'background'), await two.commit(failed, 'background')]).toEqual([
      { outcome: 'ok' },
      { outcome: 'ok' },
    ]);
    expect(await here.counters()).toEqual([{ per: 'partner', span: 'day', amount: '0', payouts: 0 }]);
    expect(await two.commit(counted(here.partner, 100_00n), 'foreground')).toEqual({ outcome: 'ok' });
    expect(await two.commit(counted(here.partner, 1n), 'foreground')).toEqual({ outcome: 'limited', reached: 0 });
  });

  it('neither locks others out nor is counted wrong, while others are accepted and fail at once', async () => {
    const here = new Deployment(CURRENCIES);
    const writers = here.processes.map((process) => process.get(CommitWriter));
    await writers[0]!.commit(opening(here.partner, 1_000_000_00n), 'foreground');
    const wide = (subject: string): VelocityCount[] =>
      (['partner', 'recipient'] as const).map((per) => ({
        limit: { per, window: 'hour', maxMinor: 100_000_00n, maxCount: null },
        subject: per === 'partner' ? '' : subject,
      }));
    const moves = Array.from({ length: 90 }, (_, i) => {
      const move = acceptance(here.partner, kes(BigInt(100 + i)).minor);
      return { ...move, insertion: { ...move.insertion!, velocity: wide(`r${i % 7}`) } };
    });
    const outcomes = await Promise.all(
      moves.map(async (move, i) => {
        const accepted = await writers[i % 2]!.commit(move, 'foreground');
        const failed = i % 3 === 0 ? await writers[(i + 1) % 2]!.commit(failure(move), 'background') : accepted;
        return [accepted.outcome, failed.outcome];
      }),
    );
    expect(new Set(outcomes.flat())).toEqual(new Set(['ok']));
    const standing = moves.filter((_, i) => i % 3 !== 0);
    const sum = standing.reduce((total, move) => total + move.insertion.details.amount.minor, 0n).toString();
    const rows = await here.counters();
    expect(rows.find(({ per }) => per === 'partner')).toMatchObject({ amount: sum, payouts: standing.length });
    expect(rows.reduce((total, row) => total + BigInt(row.per === 'recipient' ? row.amount : 0), 0n).toString()).toBe(
      sum,
    );
  });

  it('gives nothing back to a window that is over', async () => {
    const here = new Deployment(CURRENCIES);
    const writer = here.processes[0]!.get(CommitWriter);
    await writer.commit(opening(here.partner, 1_000_00n), 'foreground');
    const first = counted(here.partner, 60_00n);
    await writer.commit(first, 'foreground');
    here.clock.advance(24 * 3_600_000);
    expect(await writer.commit(counted(here.partner, 100_00n), 'foreground')).toEqual({ outcome: 'ok' });
    await writer.commit(failure(first), 'background');
    expect(await writer.commit(counted(here.partner, 1n), 'foreground')).toEqual({ outcome: 'limited', reached: 0 });
    here.clock.advance(VELOCITY_KEPT_MS + 24 * 3_600_000);
    await here.processes[0]!.get(VelocityStore).forget();
    expect(await here.counters()).toEqual([]);
  });
});

describe('a pay', () => {
  it('is judged when it is accepted; one that is refused claims nothing, and one without its deposit gives back', async () => {
    const trip = new PayHarness(pg);
    const velocity_limits = [{ per: 'recipient' as const, window: 'day' as const, amount_minor: null, count: 1 }];
    await trip.payAccepted({ velocity_limits });
    const next = { velocity_limits, transaction_code: uuidv7(), transaction_hash: nextHash() };
    expect(await trip.ask(next)).toMatchObject({ ok: false, error: { code: 'limit_exceeded' } });
    expect(await pg.db.query('select 1 from pays where transaction_hash = $1', [next.transaction_hash])).toEqual([]);
    await trip.unusable('no_matching_transfer', true);
    expect(await trip.state()).toBe('FAILED');
    expect(await trip.ask(next)).toMatchObject({ ok: true, value: { replayed: false } });
  });
});
