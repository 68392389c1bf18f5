import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { LATE_WINDOW_MS, LEASE_MS, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import {
  NO_ANSWER,
  NOT_PAID,
  NOT_PAID_HERE,
  paid,
  SUBMITTED,
  UNKNOWN,
} from '../testing/provider-answers.spec-support.js';
import { approvedBeside, settlementOf } from '../testing/settlement-harness.spec-support.js';
import { CallbackHarness, CallingProvider } from './callback-harness.spec-support.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterEach(() => pg.db.query('delete from provider_callbacks'));
afterAll(() => pg.stopWhole());

/** Submitted with these answers, the rest is for queries. */
async function submitted(...script: ConstructorParameters<typeof CallingProvider>[0]): Promise<CallbackHarness> {
  const trip = await CallbackHarness.started(pg, new CallingProvider(script));
  await trip.call('submit');
  return trip;
}

const COMPLETED = ['COMPLETE', ['payout_held', 'payout_settled']];
const stateOf = async (trip: CallbackHarness): Promise<unknown> => [
  await trip.state(),
  (await trip.posted()).filter((kind) => kind.startsWith('payout_')),
];

describe('a signed callback that the payout is paid', () => {
  it('completes it without a query', async () => {
    const trip = await submitted(SUBMITTED);
    await trip.calledBack();
    expect([await trip.handle(), await stateOf(trip), trip.provider.queries]).toEqual([1, COMPLETED, 0]);
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'R1', public_name: 'TEST 7890' });
    expect(await trip.outcomes()).toEqual(['recorded']);
    trip.clock.advance(3_600_000);
    expect([await trip.call('poll'), await trip.call('submit')]).toEqual([0, 0]);
  });

  it.each([[UNKNOWN], [NO_ANSWER]])('completes one whose call was not answered: %j', async (answer) => {
    const trip = await submitted(answer);
    await trip.calledBack();
    await trip.handle();
    expect([await stateOf(trip), trip.provider.submitted.length]).toEqual([COMPLETED, 1]);
  });

  it('overrules a settlement as not paid that waits for a call', async () => {
    const trip = await submitted(UNKNOWN);
    trip.clock.advance(1_000);
    const { id } = await approvedBeside(trip);
    await trip.calledBack();
    expect([await trip.handle(), await trip.state()]).toEqual([1, 'IN_DOUBT']);
    await trip.handle(LEASE_MS);
    await trip.executor.runDue();
    expect([await stateOf(trip), await settlementOf(trip, id)]).toMatchObject([
      COMPLETED,
      { isExecuted: false, isWithdrawn: true, supersededWhy: expect.stringContaining('COMPLETE') },
    ]);
  });

  it('that comes twice, early or late is one payment', async () => {
    const trip = await submitted(SUBMITTED);
    await trip.calledBack();
    await trip.calledBack();
    expect(await trip.kept()).toEqual([{ outcome: null, times: 2, looks: 0, signed: null }]);
    await trip.handle();
    await trip.calledBack();
    expect([await trip.handle(60_000), await stateOf(trip)]).toEqual([1, COMPLETED]);
    expect(await trip.kept()).toMatchObject([{ outcome: 'known', times: 3 }]);
    // Another body that says the same.
    await trip.calledBack({ nonce: 1 });
    expect([await trip.handle(), await stateOf(trip), await trip.outcomes()]).toEqual([
      1,
      COMPLETED,
      ['known', 'known'],
    ]);
    expect(trip.provider.queries).toBe(0);
  });

  it('that tells a fee which its payment was recorded without posts it, once', async () => {
    const trip = await submitted(SUBMITTED);
    await trip.calledBack();
    await trip.handle();
    for (const nonce of [1, 2, 2]) {
      await trip.calledBack({ says: 'paid_for_fee', nonce });
      await trip.handle();
    }
    const fees = (await trip.posted()).filter((kind) => kind === 'provider_fee');
    expect([fees.length, await trip.incidents(), trip.provider.queries]).toEqual([1, [], 0]);
  });

  it('that is faster than the answer of its call waits for it', async () => {
    const trip = await CallbackHarness.started(pg, new CallingProvider([SUBMITTED]));
    const [underWay] = await trip.claim('submit');
    await trip.calledBack();
    await trip.handle();
    expect([await trip.state(), await trip.outcomes()]).toEqual(['SUBMITTING', [null]]);
    if (underWay) await trip.caller.run('submit', underWay);
    expect(await trip.state()).toBe('SUBMITTED');
    expect([await trip.handle(1_000), await stateOf(trip), await trip.outcomes()]).toEqual([
      1,
      COMPLETED,
      ['recorded'],
    ]);
  });

  it('whose answer of the call died with its process completes it when the lease is over, and nothing is sent again', async () => {
    const trip = await CallbackHarness.started(pg, new CallingProvider([]));
    await trip.claim('submit');
    await trip.calledBack();
    await trip.handle();
    expect(await trip.handle(LEASE_MS)).toBe(1);
    expect([await stateOf(trip), await trip.call('submit'), trip.provider.submitted]).toEqual([COMPLETED, 0, []]);
  });

  it('is held back by a query that is under way, whose answer counts', async () => {
    const trip = await submitted(SUBMITTED, paid('R1'));
    trip.clock.advance(1_000);
    const [underWay] = await trip.claim('poll');
    await trip.calledBack();
    await trip.handle();
    if (underWay) await trip.caller.run('poll', underWay);
    await trip.handle(1_000);
    expect([await stateOf(trip), await trip.outcomes()]).toEqual([COMPLETED, ['known']]);
  });

  it('is known where a query was faster, and asked about where that heard of another receipt', async () => {
    const trip = await submitted(paid('R1'), paid('R1'));
    await trip.calledBack();
    await trip.calledBack({ says: 'paid_otherwise' });
    await trip.handle();
    expect(await trip.outcomes()).toEqual(['known', 'asked']);
    expect([await trip.call('watch'), trip.provider.queries, await stateOf(trip)]).toEqual([1, 1, COMPLETED]);
  });
});

describe('a signed callback that is no payment', () => {
  it.each(['not_paid', 'not_paid_here', 'submitted', 'mismatch', 'came_back'] as const)(
    'has the provider asked, whose answer decides: %s',
    async (says) => {
      const other = new ScriptedProvider([], true, 'sandbox_b');
      const trip = await CallbackHarness.started(pg, new CallingProvider([SUBMITTED, SUBMITTED]), other);
      await trip.call('submit');
      await trip.calledBack({ says });
      expect([await trip.handle(), await trip.outcomes()]).toEqual([1, ['asked']]);
      await trip.start();
      expect([await trip.state(), other.submitted]).toEqual(['SUBMITTED', []]);
      expect([await trip.call('poll'), trip.provider.queries, await trip.state()]).toEqual([1, 1, 'SUBMITTED']);
      await trip.start();
      expect([other.submitted, await trip.incidents()]).toEqual([[], []]);
    },
  );

  it('lets another provider pay once the query says so as well', async () => {
    const other = new ScriptedProvider([paid('B1')], true, 'sandbox_b');
    const trip = await CallbackHarness.started(pg, new CallingProvider([SUBMITTED, NOT_PAID_HERE]), other);
    await trip.call('submit');
    await trip.calledBack({ says: 'not_paid_here' });
    await trip.handle();
    await trip.call('poll');
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), other.submitted.length]).toEqual(['COMPLETE', 1]);
  });
});

describe('a signed callback after the end', () => {
  it.each([
    ['within the late window', LATE_WINDOW_MS / 2],
    ['after it', LATE_WINDOW_MS * 20],
  ])('of a payment that had failed is asked about: %s', async (_, afterMs) => {
    const trip = await submitted(NOT_PAID);
    expect(await trip.state()).toBe('FAILED');
    trip.clock.advance(afterMs);
    // What the schedule asks meanwhile.
    trip.provider.will(NOT_PAID);
    await trip.call('watch');
    trip.provider.will(paid('R1'));
    await trip.calledBack();
    await trip.handle();
    expect([await trip.state(), await trip.debt(), await trip.outcomes()]).toEqual(['FAILED', 0n, ['asked']]);
    expect(await trip.call('watch')).toBe(1);
    expect([await trip.state(), (await trip.posted()).at(-1)]).toEqual(['FAILED', 'duplicate_payment']);
  });

  it('that the money came back is asked about', async () => {
    const trip = await submitted(paid('R1'), { outcome: 'reversed', receipt: 'R1', detail: '' });
    await trip.calledBack({ says: 'came_back' });
    await trip.handle(LATE_WINDOW_MS * 2);
    expect(await trip.state()).toBe('COMPLETE');
    await trip.call('watch');
    expect(await trip.state()).toBe('REVERSED');
  });

  it('that repeats "not paid" is nothing new', async () => {
    const trip = await submitted(NOT_PAID);
    await trip.calledBack({ says: 'not_paid' });
    await trip.handle();
    expect([await trip.outcomes(), await trip.call('watch')]).toEqual([['known'], 0]);
  });
});
