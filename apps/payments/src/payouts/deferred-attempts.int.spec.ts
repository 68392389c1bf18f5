import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { ResolveIncident } from '../admin/resolve-incident.js';
import { HttpProvider } from '../testing/http-provider.spec-support.js';
import {
  AMOUNT,
  FEE,
  FUNDS,
  LATE_WINDOW_MS,
  Harness,
  ScriptedProvider,
} from '../testing/payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

/** A provider that defers may still have taken it; `deferred` to a query proves nothing. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const SPENT = FUNDS - AMOUNT - FEE;
const SUBMITTED: ProviderAnswer = { outcome: 'submitted' };
const UNKNOWN: ProviderAnswer = { outcome: 'unknown', detail: 'timeout' };
const NOT_FOUND: ProviderAnswer = { outcome: 'unknown', detail: 'the provider does not know our id', notFound: true };
const MISMATCH: ProviderAnswer = { outcome: 'mismatch', detail: '' };
const NO_FLOAT: ProviderAnswer = { outcome: 'deferred', reason: 'float', detail: 'FLOAT' };
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};

const harness = async (provider: ScriptedProvider, ...others: ScriptedProvider[]): Promise<Harness> =>
  (await new Harness(pg, provider, ...others).accepted()).start();

async function later(trip: Harness, purpose: 'poll' | 'watch', ms: number): Promise<number> {
  trip.clock.advance(ms);
  return trip.call(purpose);
}

async function sequenceOf(trip: Harness): Promise<number | undefined> {
  return (await trip.store.byId(trip.id))?.life.sequence;
}

describe('an attempt that was put off', () => {
  it('is looked at by the late schedule, until its window closes; that it is not found is nothing new', async () => {
    const trip = await harness(new ScriptedProvider([NO_FLOAT]));
    await trip.call('submit');
    const before = await sequenceOf(trip);
    const checks: number[] = [];
    const from = trip.clock.now().getTime();
    trip.provider!.will(...Array.from({ length: 20 }, () => NOT_FOUND));
    for (let second = 0; second <= 2 * LATE_WINDOW_MS; second += 1_000) {
      if ((await trip.call('watch')) > 0) checks.push((trip.clock.now().getTime() - from) / 1_000);
      trip.clock.advance(1_000);
    }
    expect(checks).toEqual([2, 4, 14, 24, 34, 44, 54, 60]);
    expect([await sequenceOf(trip), await trip.incidents(), await trip.state()]).toEqual([before, [], 'QUEUED']);
  });

  it('and was paid after all, is the payment while the transaction waits: nothing else goes out', async () => {
    const trip = await harness(new ScriptedProvider([NO_FLOAT, PAID]));
    await trip.call('submit');
    expect([await trip.state(), await later(trip, 'watch', 2_000)]).toEqual(['QUEUED', 1]);
    await trip.start();
    expect([await trip.call('submit'), await trip.row()]).toMatchObject([
      0,
      { status: 'COMPLETE', receipt_number: 'R1' },
    ]);
    expect([trip.provider!.submitted.length, await trip.posted(), await trip.wallet()]).toEqual([
      1,
      ['payout_held', 'payout_settled'],
      SPENT,
    ]);
  });

  it('and was paid after all while the next attempt is out, is one too many, which no partner pays for', async () => {
    const trip = await harness(new ScriptedProvider([NO_FLOAT, SUBMITTED]));
    await trip.call('submit');
    trip.clock.advance(1_000);
    await trip.start();
    await trip.call('submit');
    expect(trip.provider!.submitted).toHaveLength(2);
    trip.provider!.will(PAID);
    await later(trip, 'watch', 1_000);
    expect([await trip.state(), await trip.posted(), await trip.debt()]).toEqual([
      'SUBMITTED',
      ['payout_held', 'duplicate_payment_ours'],
      0n,
    ]);
  });

  it('and was paid after all when the money was back, is owed', async () => {
    const trip = await harness(new ScriptedProvider([NO_FLOAT, ...Array.from({ length: 4 }, () => NOT_FOUND), PAID]));
    await trip.call('submit');
    for (let checks = 0; checks < 4; checks++) await later(trip, 'watch', 10_000);
    await trip.start();
    expect(await trip.state()).toBe('FAILED');
    await later(trip, 'watch', 10_000);
    expect([await trip.state(), await trip.debt(), (await trip.posted()).at(-1)]).toEqual([
      'FAILED',
      AMOUNT,
      'duplicate_payment',
    ]);
  });

  it('by a provider that takes what it refuses, is found in its book over HTTP, and paid once', async () => {
    const provider = await HttpProvider.start();
    try {
      const trip = await harness(provider);
      const submit = provider.submit.bind(provider);
      // A gateway refuses after the provider took it.
      provider.submit = async (instruction) => {
        await submit(instruction);
        return NO_FLOAT;
      };
      await trip.call('submit');
      expect(await trip.state()).toBe('QUEUED');
      const ask = provider.query.bind(provider);
      let answer: ProviderAnswer = SUBMITTED;
      provider.query = async (instruction) => {
        do answer = await ask(instruction);
        while (answer.outcome === 'submitted');
        return answer;
      };
      expect(await later(trip, 'watch', 2_000)).toBe(1);
      await trip.start();
      expect([await trip.state(), await trip.call('submit'), provider.server.receiptsGiven.length]).toEqual([
        'COMPLETE',
        0,
        1,
      ]);
    } finally {
      await provider.stop();
    }
  });
});

/** Resolves with the number of incidents closed. */
async function resolveAll(trip: Harness): Promise<number> {
  const open = await pg.db.query<{ id: string }>(
    `select id from incidents where transaction_id = $1 and resolved_at is null`,
    [trip.id],
  );
  for (const { id } of open)
    await new ResolveIncident(pg.db, trip.clock).run(Number(id), 'Ann Otieno', 'the provider gave it up, ticket 12');
  return open.length;
}

describe('an attempt that was put off, and of which its provider says otherwise', () => {
  it.each([
    ['that it works on it', SUBMITTED],
    ['that it paid something else', MISMATCH],
  ])('%s: nothing else starts, nor fails, until people have looked', async (_, answer) => {
    const trip = await harness(new ScriptedProvider([NO_FLOAT, answer, UNKNOWN]));
    await trip.call('submit');
    await later(trip, 'watch', 2_000);
    for (let seconds = 0; seconds < 120; seconds += 10) {
      await trip.start();
      expect([await trip.state(), await trip.call('submit'), await trip.wallet()]).toEqual(['QUEUED', 0, SPENT]);
      trip.clock.advance(10_000);
    }
    expect([await resolveAll(trip), trip.provider!.submitted.length]).toEqual([1, 1]);
    await trip.start();
    expect([await trip.call('submit'), trip.provider!.submitted.length, await trip.state()]).toEqual([
      1,
      2,
      'IN_DOUBT',
    ]);
  });

  it('while the next attempt is not sent yet: it is not sent until people have looked', async () => {
    const other = new ScriptedProvider([SUBMITTED], false, 'sandbox_b');
    const trip = await harness(new ScriptedProvider([NO_FLOAT, SUBMITTED]), other);
    await trip.call('submit');
    trip.clock.advance(2_000);
    await trip.start();
    expect([await trip.state(), await trip.call('watch'), await trip.call('submit')]).toEqual(['SUBMITTING', 1, 0]);
    trip.clock.advance(60_000);
    expect([await trip.call('submit'), other.submitted.length]).toEqual([0, 0]);
    expect([await resolveAll(trip), await trip.call('submit'), other.submitted.length, await trip.state()]).toEqual([
      1,
      1,
      1,
      'SUBMITTED',
    ]);
  });

  it('and that it has paid it: that is the payment', async () => {
    const trip = await harness(new ScriptedProvider([NO_FLOAT, SUBMITTED, PAID]));
    await trip.call('submit');
    await later(trip, 'watch', 2_000);
    await trip.start();
    await later(trip, 'watch', 10_000);
    expect([await trip.state(), await trip.posted(), trip.provider!.submitted.length]).toEqual([
      'COMPLETE',
      ['payout_held', 'payout_settled'],
      1,
    ]);
  });
});

describe('`deferred` as the answer to a query', () => {
  it.each([
    ['SUBMITTED', SUBMITTED],
    ['IN_DOUBT', UNKNOWN],
  ] as const)('leaves what is %s as it is, holds the money, and is noted once', async (state, first) => {
    const trip = await harness(
      new ScriptedProvider([first, NO_FLOAT, NO_FLOAT, NO_FLOAT, PAID]),
      new ScriptedProvider([], false, 'sandbox_b'),
    );
    await trip.call('submit');
    const before = await sequenceOf(trip);
    for (let polls = 0; polls < 3; polls++) expect(await later(trip, 'poll', 10_000)).toBe(1);
    await trip.start();
    expect([await trip.state(), await trip.wallet(), trip.providers.map(({ submitted }) => submitted.length)]).toEqual([
      state,
      SPENT,
      [1, 0],
    ]);
    expect([await sequenceOf(trip), await trip.incidents()]).toEqual([before! + 1, []]);
    await later(trip, 'poll', 10_000);
    expect([await trip.state(), await trip.posted()]).toEqual(['COMPLETE', ['payout_held', 'payout_settled']]);
  });

  it('to the repeat of a submit says nothing of the first one', async () => {
    const trip = await harness(new ScriptedProvider([UNKNOWN, NOT_FOUND, NO_FLOAT, PAID]));
    await trip.call('submit');
    await later(trip, 'poll', 10_000);
    expect([await trip.state(), await trip.wallet()]).toEqual(['IN_DOUBT', SPENT]);
    await later(trip, 'poll', 10_000);
    expect(await trip.state()).toBe('COMPLETE');
  });

  it('of what has been paid is no contradiction: no incident', async () => {
    const trip = await harness(new ScriptedProvider([PAID, NO_FLOAT]));
    await trip.call('submit');
    expect([await later(trip, 'watch', 10_000), await trip.state(), await trip.incidents()]).toEqual([
      1,
      'COMPLETE',
      [],
    ]);
  });
});
