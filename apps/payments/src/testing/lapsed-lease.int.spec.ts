import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import { type CallLease, type ProviderAnswer, TOO_LATE, type TooLate } from '@vuka/payouts';

import { FUNDS, LEASE_MS, Harness, ScriptedProvider } from './payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';

/** After a pause or a slow claim, somebody else may have the attempt. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(500_00n, 'KES'),
  recipient: '1234567890',
};
const UNKNOWN: ProviderAnswer = { outcome: 'unknown', detail: 'timeout' };
const CALL_MS = new ScriptedProvider([]).capabilities.callTimeoutMs;

const harness = async (provider: ScriptedProvider): Promise<Harness> =>
  (await new Harness(pg, provider).accepted()).start();

async function attemptOf(trip: Harness): Promise<unknown> {
  const [row] = await pg.db.query(
    `select state, lease_until is null as free, fence from attempts where transaction_id = $1`,
    [trip.id],
  );
  return row;
}

/** Makes a slow call before the one that pays. */
class TwoCalls extends ScriptedProvider {
  prepared = 0;
  slowMs = 0;
  passes: (ms: number) => void = () => undefined;
  override submit(instruction: { attemptId: string }, lease?: CallLease): Promise<ProviderAnswer | TooLate> {
    this.prepared += 1;
    this.passes(this.slowMs);
    return lease?.mayPay() === true ? super.submit(instruction) : Promise.resolve(TOO_LATE);
  }
}

async function twoCalls(...script: ProviderAnswer[]): Promise<{ trip: Harness; provider: TwoCalls }> {
  const provider = new TwoCalls(script);
  const trip = await harness(provider);
  provider.passes = (ms) => trip.clock.advance(ms);
  return { trip, provider };
}

describe('a provider that makes another call before the one that pays', () => {
  it('pays while its lease lasts for the whole call', async () => {
    const { trip, provider } = await twoCalls(PAID);
    provider.slowMs = LEASE_MS - CALL_MS;
    await trip.call('submit');
    expect([await trip.state(), provider.submitted.length]).toEqual(['COMPLETE', 1]);
  });

  it('does not pay where the first call took too long: it is unsent, and sent as the first one later', async () => {
    const { trip, provider } = await twoCalls(PAID);
    provider.slowMs = LEASE_MS - CALL_MS + 1;
    await trip.call('submit');
    expect([await trip.state(), provider.submitted, await attemptOf(trip)]).toEqual([
      'SUBMITTING',
      [],
      { state: 'INTENT', free: true, fence: 1 },
    ]);
    provider.slowMs = 0;
    await trip.call('submit');
    expect([await trip.state(), provider.prepared, provider.submitted.length]).toEqual(['COMPLETE', 2, 1]);
  });

  it('does not repeat a submit whose provider stops deduplicating meanwhile', async () => {
    const { trip, provider } = await twoCalls(UNKNOWN, { outcome: 'unknown', detail: '', notFound: true });
    Object.assign(provider.promises, { dedupesForMs: 10_000 });
    await trip.call('submit');
    provider.slowMs = 9_000;
    trip.clock.advance(1_000);
    await trip.call('poll');
    expect([await trip.state(), provider.prepared, provider.submitted.length]).toEqual(['IN_DOUBT', 2, 1]);
  });
});

describe('a first call whose lease has run out', () => {
  it('is not made where somebody has taken over and people have settled it as not paid', async () => {
    const provider = new ScriptedProvider([PAID], false);
    const trip = await harness(provider);
    const [frozen] = await trip.claim('submit');
    trip.clock.advance(LEASE_MS + 1);
    await trip.call('submit');
    expect(await trip.state()).toBe('IN_DOUBT');
    const proposed = await trip.settle.propose({
      transactionId: trip.id,
      outcome: 'not_paid',
      receipt: null,
      paid: null,
      evidence: 'the provider has no such payment',
      by: 'Ann',
    });
    if (!proposed.ok) throw new Error(proposed.error.message);
    expect(await trip.settle.approve({ settlementId: proposed.value.settlementId, by: 'Ben' })).toMatchObject({
      ok: true,
    });
    const before = await attemptOf(trip);
    await trip.caller.run('submit', frozen!);
    expect([provider.submitted, await trip.state(), await trip.wallet(), await attemptOf(trip)]).toEqual([
      [],
      'FAILED',
      FUNDS,
      before,
    ]);
  });

  it.each([true, false])(
    'goes back unsent where nobody has, and the next claim makes it as the first one (provider dedupes: %s)',
    async (dedupes) => {
      const provider = new ScriptedProvider([PAID], dedupes);
      const trip = await harness(provider);
      const [slow] = await trip.claim('submit');
      trip.clock.advance(LEASE_MS + 1);
      await trip.caller.run('submit', slow!);
      expect([provider.submitted, await trip.state(), await attemptOf(trip)]).toEqual([
        [],
        'SUBMITTING',
        { state: 'INTENT', free: true, fence: 1 },
      ]);
      expect([await trip.call('submit'), await trip.state(), provider.submitted.length]).toEqual([1, 'COMPLETE', 1]);
    },
  );

  it.each([
    [0, 1],
    [1, 0],
  ])('is made only with time enough for the whole call: %i ms short of it, %i calls', async (short, calls) => {
    const provider = new ScriptedProvider([PAID]);
    const trip = await harness(provider);
    const [claimed] = await trip.claim('submit');
    trip.clock.advance(LEASE_MS - CALL_MS + short);
    await trip.caller.run('submit', claimed!);
    expect(provider.submitted).toHaveLength(calls);
  });

  it('is not made for a clock that was set back, nor in a machine that slept', async () => {
    const provider = new ScriptedProvider([PAID]);
    const trip = await harness(provider);
    const [setBack] = await trip.claim('submit');
    const claimedAt = trip.clock.now();
    trip.clock.advance(LEASE_MS);
    trip.clock.set(claimedAt);
    await trip.caller.run('submit', setBack!);
    const [asleep] = await trip.claim('submit');
    trip.clock.set(new Date(claimedAt.getTime() + LEASE_MS));
    await trip.caller.run('submit', asleep!);
    expect(provider.submitted).toEqual([]);
    expect([await trip.call('submit'), await trip.state()]).toEqual([1, 'COMPLETE']);
  });
});

describe('a repeated call whose lease has run out', () => {
  it('is not made after an interrupted one, which stays one that may have been taken', async () => {
    const provider = new ScriptedProvider([PAID]);
    const trip = await harness(provider);
    await trip.claim('submit');
    trip.clock.advance(LEASE_MS);
    const [slow] = await trip.claim('submit');
    trip.clock.advance(LEASE_MS);
    await trip.caller.run('submit', slow!);
    expect([provider.submitted, await attemptOf(trip)]).toEqual([[], { state: 'SENDING', free: true, fence: 2 }]);
    expect([await trip.call('submit'), await trip.state()]).toEqual([1, 'COMPLETE']);
  });

  it('is not made after a query that took the rest of it', async () => {
    const provider = new ScriptedProvider([UNKNOWN, UNKNOWN]);
    const trip = await harness(provider);
    await trip.call('submit');
    trip.clock.advance(1_000);
    const [polled] = await trip.claim('poll');
    const query = provider.query.bind(provider);
    provider.query = () => {
      trip.clock.advance(LEASE_MS - CALL_MS + 1);
      return query();
    };
    await trip.caller.run('poll', polled!);
    expect([provider.submitted.length, await attemptOf(trip)]).toEqual([1, { state: 'UNKNOWN', free: true, fence: 2 }]);
    provider.query = query;
    provider.will(UNKNOWN, PAID);
    expect([await trip.call('poll'), await trip.state(), new Set(provider.submitted).size]).toEqual([1, 'COMPLETE', 1]);
  });
});
