import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Logger } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';
import fc from 'fast-check';

import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import {
  AMOUNT,
  FEE,
  FUNDS,
  type Harness,
  later,
  ScriptedProvider,
  startedHarness,
} from '../testing/payout-harness.spec-support.js';
import {
  NO_FLOAT,
  NO_FLOAT_LEFT,
  NOT_PAID,
  NOT_PAID_HERE,
  PAID,
  SUBMITTED,
} from '../testing/provider-answers.spec-support.js';
import { CallProvider } from './call-provider.js';

/** A provider takes a payment, and our float or settings there keep it from paying: the payment waits for us. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const SPENT = FUNDS - AMOUNT - FEE;
/** Of the sandbox. */
const PARKED_MS = 30_000;
const submits = (trip: Harness): number[] => trip.providers.map(({ submitted }) => submitted.length);

/** Starts what is due, and lets the provider take it and fail it for lack of float. */
async function takeAndFail(trip: Harness): Promise<void> {
  await trip.start();
  await trip.call('submit');
  await later(trip, 'poll');
}

describe('a payment that a provider took and could not pay for lack of our float', () => {
  it('waits with its money held, tells somebody, and is paid by the same provider under another id', async () => {
    const alarms: unknown[] = [];
    const log = { error: (fields: unknown) => alarms.push(fields), warn: () => undefined } as unknown as Logger;
    const trip = await startedHarness(pg, new ScriptedProvider([SUBMITTED, NO_FLOAT_LEFT]));
    await trip.call('submit');
    trip.clock.advance(1_000);
    const caller = trip.partsWith([LOGGER, log]).get(CallProvider);
    for (const attempt of await trip.claim('poll')) await caller.run('poll', attempt);
    const { life } = (await trip.store.byId(trip.id))!;
    expect([life.state, life.failureCode, await trip.wallet()]).toEqual(['QUEUED', null, SPENT]);
    expect(life.parkDeadline?.getTime()).toBe(trip.clock.now().getTime() + PARKED_MS);
    expect(alarms).toMatchObject([
      { code: 'transaction_alarm', event: 'not_paid_route_left', effects: ['alarm'] },
      { code: 'float_empty', provider: 'sandbox', currency: 'KES' },
    ]);
    await trip.start();
    expect(await trip.state()).toBe('QUEUED');
    trip.clock.advance(1_000);
    trip.provider!.will(PAID);
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), await trip.posted()]).toEqual(['COMPLETE', ['payout_held', 'payout_settled']]);
    expect(new Set(trip.provider!.submitted).size).toBe(2);
  });

  it('fails at the deadline of its first wait, however often it is taken again, and not before', async () => {
    const trip = await startedHarness(pg, new ScriptedProvider([]));
    const from = trip.clock.now().getTime();
    for (let rounds = 0; rounds < 60 && (await trip.state()) !== 'FAILED'; rounds++) {
      trip.provider!.will(SUBMITTED, NO_FLOAT_LEFT);
      await takeAndFail(trip);
    }
    const { status, failure_code } = await trip.row();
    expect([status, failure_code, await trip.wallet()]).toEqual(['FAILED', 'rail_unavailable', FUNDS]);
    // The first attempt ended after a second.
    expect(trip.clock.now().getTime() - from).toBeGreaterThanOrEqual(1_000 + PARKED_MS);
    expect(trip.clock.now().getTime() - from).toBeLessThanOrEqual(1_000 + PARKED_MS + 4_000);
    expect(submits(trip)[0]).toBeGreaterThan(3);
  });

  it('goes to another provider at once', async () => {
    const trip = await startedHarness(
      pg,
      new ScriptedProvider([SUBMITTED, NO_FLOAT_LEFT]),
      new ScriptedProvider([PAID], false, 'sandbox_b'),
    );
    await trip.call('submit');
    await later(trip, 'poll');
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), submits(trip)]).toEqual(['COMPLETE', [1, 1]]);
  });

  it('waits where every other provider is refused or put off', async () => {
    const trip = await startedHarness(
      pg,
      new ScriptedProvider([SUBMITTED, NO_FLOAT_LEFT, SUBMITTED, NO_FLOAT_LEFT]),
      new ScriptedProvider([NOT_PAID_HERE], false, 'sandbox_b'),
    );
    await trip.call('submit');
    await later(trip, 'poll');
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), submits(trip)]).toEqual(['QUEUED', [1, 1]]);
    await takeAndFail(trip);
    expect([await trip.state(), submits(trip), await trip.wallet()]).toEqual(['QUEUED', [2, 1], SPENT]);
  });

  it('is the payment, where it was paid after all while it waits', async () => {
    const trip = await startedHarness(pg, new ScriptedProvider([SUBMITTED, NO_FLOAT_LEFT, PAID]));
    await trip.call('submit');
    await later(trip, 'poll');
    expect(await later(trip, 'watch', 2_000)).toBe(1);
    await trip.start();
    expect([await trip.state(), await trip.call('submit'), submits(trip)]).toEqual(['COMPLETE', 0, [1]]);
  });

  it('is a contradiction, where the provider works on it again: nothing else leaves', async () => {
    const trip = await startedHarness(pg, new ScriptedProvider([SUBMITTED, NO_FLOAT_LEFT, SUBMITTED]));
    await trip.call('submit');
    await later(trip, 'poll');
    await later(trip, 'watch', 2_000);
    for (let rounds = 0; rounds < 10; rounds++) {
      await trip.start();
      expect([await trip.call('submit'), await trip.state()]).toEqual([0, 'QUEUED']);
      trip.clock.advance(10_000);
    }
    expect(await trip.incidents()).toEqual([{ event: 'submitted', times: 1 }]);
  });

  it('of another recipient’s fault fails as ever', async () => {
    const trip = await startedHarness(pg, new ScriptedProvider([SUBMITTED, NO_FLOAT_LEFT, SUBMITTED, NOT_PAID]));
    await trip.call('submit');
    await later(trip, 'poll');
    trip.clock.advance(1_000);
    await takeAndFail(trip);
    expect([await trip.state(), await trip.wallet()]).toEqual(['FAILED', FUNDS]);
  });

  it('never fails before its deadline, and is paid once when the float is there, in any order of answers', async () => {
    const answers = fc.array(fc.constantFrom(SUBMITTED, NO_FLOAT, NO_FLOAT_LEFT), { maxLength: 8 });
    const waits = fc.array(fc.integer({ min: 100, max: 3_000 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(answers, waits, async (all, pauses) => {
        const provider = new ScriptedProvider([]);
        let float = false;
        provider.submit = ({ attemptId }) => {
          provider.submitted.push(attemptId);
          return Promise.resolve(float ? PAID : (all.shift() ?? SUBMITTED));
        };
        provider.query = () => Promise.resolve(NO_FLOAT_LEFT);
        const trip = await startedHarness(pg, provider);
        const until = trip.clock.now().getTime() + PARKED_MS;
        const round = async (ms: number): Promise<void> => {
          await trip.start();
          await trip.call('submit');
          trip.clock.advance(ms);
          await trip.call('poll');
        };
        for (const pause of pauses) {
          if (trip.clock.now().getTime() + pause >= until) break;
          await round(pause);
          expect([await trip.state(), await trip.wallet()]).toEqual([expect.not.stringMatching(/FAILED/), SPENT]);
        }
        float = true;
        for (let rounds = 0; rounds < 10 && (await trip.state()) !== 'COMPLETE'; rounds++) await round(1_000);
        expect([await trip.state(), await trip.posted()]).toEqual(['COMPLETE', ['payout_held', 'payout_settled']]);
        expect(new Set(provider.submitted).size).toBe(provider.submitted.length);
      }),
      { numRuns: 15 },
    );
  }, 120_000);
});
