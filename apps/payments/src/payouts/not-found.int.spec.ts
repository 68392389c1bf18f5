import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProviderAnswer } from '@vuka/payouts';

import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import {
  AMOUNT,
  FEE,
  FUNDS,
  later,
  LEASE_MS,
  ScriptedProvider,
  startedHarness,
  type Harness,
} from '../testing/payout-harness.spec-support.js';
import { CallProvider } from './call-provider.js';
import { NOT_FOUND, NOT_PAID, PAID, SUBMITTED, UNKNOWN } from '../testing/provider-answers.spec-support.js';

/** "Not found" proves nothing too early, and for some ids never. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const harness = (provider: ScriptedProvider, ...others: ScriptedProvider[]): Promise<Harness> =>
  startedHarness(pg, provider, ...others);

describe('an id that the provider refused at the call', () => {
  it('may be unknown there later: that contradicts nothing', async () => {
    const trip = await harness(new ScriptedProvider([NOT_PAID, NOT_FOUND, SUBMITTED]));
    await trip.call('submit');
    expect(await trip.state()).toBe('FAILED');
    expect(await later(trip, 'watch', 2_000)).toBe(1);
    const incidents = (): Promise<unknown[]> =>
      pg.db.query('select event from incidents where transaction_id = $1', [trip.id]);
    expect(await incidents()).toEqual([]);
    // That it works on it after all is another matter.
    expect(await later(trip, 'watch', 10_000)).toBe(1);
    expect(await incidents()).toEqual([{ event: 'submitted' }]);
  });
});

describe('"not found"', () => {
  const PROVES_AFTER_MS = 60_000;
  /** A claim's call may leave until its lease ends. */
  const PROVEN = LEASE_MS + PROVES_AFTER_MS;

  function proving(...script: ProviderAnswer[]): ScriptedProvider {
    const provider = new ScriptedProvider(script, false);
    Object.assign(provider.promises, { notFoundProvesAfterMs: PROVES_AFTER_MS });
    return provider;
  }

  it.each([
    [PROVEN - 1, 'IN_DOUBT', []],
    [PROVEN, 'QUEUED', ['sandbox_b']],
  ] as const)('%i ms after the last submit leaves it %s', async (ms, state, next) => {
    const trip = await harness(proving(UNKNOWN, NOT_FOUND), new ScriptedProvider([PAID], false, 'sandbox_b'));
    await trip.call('submit');
    await later(trip, 'poll', ms);
    expect(await trip.state()).toBe(state);
    await trip.start();
    await trip.call('submit');
    expect(
      trip.providers
        .slice(1)
        .filter(({ submitted }) => submitted.length > 0)
        .map(({ id }) => id),
    ).toEqual(next);
  });

  it('once it is proof, is nothing new when it is heard again: the next route is taken', async () => {
    const other = new ScriptedProvider([PAID], false, 'sandbox_b');
    const trip = await harness(proving(UNKNOWN, NOT_FOUND, NOT_FOUND), other);
    await trip.call('submit');
    await later(trip, 'poll', PROVEN);
    trip.clock.advance(10_000);
    expect([await trip.call('watch'), await trip.incidents(), await trip.state()]).toEqual([1, [], 'QUEUED']);
    await trip.start();
    expect([await trip.call('submit'), other.submitted.length, await trip.state()]).toEqual([1, 1, 'COMPLETE']);
  });

  it.each(['paid', 'not_paid'] as const)(
    'is no proof of what the statement lists as %s: nothing else is tried, and people look',
    async (event) => {
      const other = new ScriptedProvider([PAID], false, 'sandbox_b');
      const trip = await harness(proving(UNKNOWN), other);
      await trip.call('submit');
      await trip.attempts.hint(
        'sandbox',
        [{ attemptId: trip.provider!.submitted[0]!, event, receipt: null, isFirst: true }],
        trip.clock.now(),
      );
      trip.provider!.will(NOT_FOUND, NOT_FOUND);
      for (let polls = 0; polls < 2; polls++) await later(trip, 'poll', 10 * PROVEN);
      await trip.start();
      await trip.call('submit');
      expect([await trip.state(), other.submitted.length, await trip.wallet()]).toEqual([
        'IN_DOUBT',
        0,
        FUNDS - AMOUNT - FEE,
      ]);
    },
  );

  it('is no proof of what the statement lists while the question is under way', async () => {
    const provider = proving(UNKNOWN);
    const trip = await harness(provider, new ScriptedProvider([], false, 'sandbox_b'));
    await trip.call('submit');
    provider.query = async () => {
      await trip.attempts.hint(
        'sandbox',
        [{ attemptId: provider.submitted[0]!, event: 'paid', receipt: 'R1', isFirst: true }],
        trip.clock.now(),
      );
      return NOT_FOUND;
    };
    await later(trip, 'poll', PROVEN);
    expect(await trip.state()).toBe('IN_DOUBT');
  });

  it('that has been taken for proof is asked about once more, where the statement lists the id', async () => {
    const trip = await harness(proving(UNKNOWN), new ScriptedProvider([], false, 'sandbox_b'));
    await trip.call('submit');
    trip.provider!.will(NOT_FOUND, PAID);
    await later(trip, 'poll', PROVEN);
    expect(
      await trip.attempts.hint(
        'sandbox',
        [{ attemptId: trip.provider!.submitted[0]!, event: 'paid', receipt: 'R1', isFirst: true }],
        trip.clock.now(),
      ),
    ).toEqual({ checks: 1, unknown: 0, differing: [] });
    expect([await trip.call('watch'), await trip.state(), await trip.posted()]).toEqual([
      1,
      'COMPLETE',
      ['payout_held', 'payout_settled'],
    ]);
  });

  it('is no proof of what was acknowledged, however old it is', async () => {
    const trip = await harness(proving(SUBMITTED, NOT_FOUND, NOT_FOUND), new ScriptedProvider([], false, 'sandbox_b'));
    await trip.call('submit');
    for (let polls = 0; polls < 2; polls++) await later(trip, 'poll', 10 * PROVEN);
    expect([await trip.state(), await trip.posted()]).toEqual(['IN_DOUBT', ['payout_held']]);
  });

  it('is no proof where the answer only fails to say, nor for a provider that never finds by it', async () => {
    const [unclear, never] = [
      await harness(proving(UNKNOWN, UNKNOWN)),
      await harness(new ScriptedProvider([UNKNOWN, NOT_FOUND], false)),
    ];
    for (const trip of [unclear, never]) {
      await trip.call('submit');
      await later(trip, 'poll', 10 * PROVEN);
      expect(await trip.state()).toBe('IN_DOUBT');
    }
  });

  it('is no proof by a time of day that was set forward: the time must really have passed', async () => {
    const other = new ScriptedProvider([PAID], false, 'sandbox_b');
    const trip = await harness(proving(UNKNOWN, NOT_FOUND, NOT_FOUND), other);
    await trip.call('submit');
    trip.clock.set(new Date(trip.clock.now().getTime() + 10 * PROVEN));
    expect([await later(trip, 'poll'), await trip.state()]).toEqual([1, 'IN_DOUBT']);
    await trip.start();
    expect([await trip.call('submit'), other.submitted]).toEqual([0, []]);
    await later(trip, 'poll', PROVEN);
    expect(await trip.state()).toBe('QUEUED');
  });

  it('is no proof yet to a process that has begun after the submit', async () => {
    const provider = proving(UNKNOWN, NOT_FOUND, NOT_FOUND);
    const trip = await harness(provider);
    await trip.call('submit');
    trip.clock.advance(10 * PROVEN);
    const begun = trip.partsWith().get(CallProvider);
    for (const attempt of await trip.claim('poll')) await begun.run('poll', attempt);
    expect(await trip.state()).toBe('IN_DOUBT');
    trip.clock.advance(PROVEN);
    for (const attempt of await trip.claim('poll')) await begun.run('poll', attempt);
    expect(await trip.state()).toBe('FAILED');
  });

  it('is counted from the last submit, where there was a repeat', async () => {
    const provider = new ScriptedProvider([UNKNOWN, NOT_FOUND, UNKNOWN, NOT_FOUND]);
    Object.assign(provider.promises, { notFoundProvesAfterMs: PROVES_AFTER_MS, dedupesForMs: 2 * PROVES_AFTER_MS });
    const trip = await harness(provider);
    await trip.call('submit');
    await later(trip, 'poll', PROVES_AFTER_MS);
    expect(provider.submitted).toHaveLength(2);
    await later(trip, 'poll', PROVEN - 1);
    expect(await trip.state()).toBe('IN_DOUBT');
    provider.will(NOT_FOUND);
    await later(trip, 'poll', 1_000);
    expect([await trip.state(), await trip.wallet()]).toEqual(['FAILED', FUNDS]);
  });
});
