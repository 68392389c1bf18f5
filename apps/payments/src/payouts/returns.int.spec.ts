import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProviderAnswer } from '@vuka/payouts';

import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import {
  AMOUNT,
  FEE,
  FUNDS,
  type Harness,
  LATE_WINDOW_MS,
  later,
  ScriptedProvider,
  startedHarness,
} from '../testing/payout-harness.spec-support.js';
import { NOT_PAID, PAID, SUBMITTED } from '../testing/provider-answers.spec-support.js';

/** Some providers say of money that came back only that the payout is not paid. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const SPENT = FUNDS - AMOUNT - FEE;
const NOT_PAID_HERE: ProviderAnswer = {
  ...(NOT_PAID as Extract<ProviderAnswer, { outcome: 'not_paid' }>),
  routeLeft: true,
};

async function paid(tells: boolean, ...then: ProviderAnswer[]): Promise<Harness> {
  const provider = new ScriptedProvider([PAID, ...then]);
  if (tells) Object.assign(provider.promises, { tellsReturnAsNotPaid: true });
  const trip = await startedHarness(pg, provider, new ScriptedProvider([], false, 'sandbox_b'));
  await trip.call('submit');
  expect(await trip.state()).toBe('COMPLETE');
  return trip;
}

const submits = (trip: Harness): number[] => trip.providers.map(({ submitted }) => submitted.length);

describe('"not paid" of what was paid, by a provider that tells a return so', () => {
  it.each([
    ['for good', NOT_PAID],
    ['with a route left', NOT_PAID_HERE],
  ])('is an incident at first, and a return when it is said again, never a second payout: %s', async (_, answer) => {
    const trip = await paid(true, answer, answer, answer);
    await later(trip, 'watch', 2_000);
    expect([await trip.state(), (await trip.incidents()).length, await trip.wallet()]).toEqual(['COMPLETE', 1, SPENT]);
    await later(trip, 'watch', 2_000);
    expect([await trip.state(), await trip.posted(), await trip.wallet()]).toEqual([
      'REVERSED',
      ['payout_held', 'payout_settled', 'payout_reversed'],
      FUNDS,
    ]);
    expect(await trip.row()).toMatchObject({ status: 'REVERSED', receipt_number: 'R1' });
    await later(trip, 'watch', 10_000);
    await trip.start();
    expect([await trip.call('submit'), submits(trip), await trip.state(), await trip.wallet()]).toEqual([
      0,
      [1, 0],
      'REVERSED',
      FUNDS,
    ]);
  });

  it('is looked at again soon, also where the late window was closing', async () => {
    const trip = await paid(true);
    trip.provider!.will(...Array.from({ length: 20 }, () => PAID));
    for (let ms = 0; ms < LATE_WINDOW_MS; ms += 1_000) await later(trip, 'watch');
    expect(await trip.call('watch')).toBe(0);
    await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
    trip.provider!.query = () => Promise.resolve(NOT_PAID);
    expect([await trip.call('watch'), await later(trip, 'watch', 2_000), await trip.state()]).toEqual([
      1,
      1,
      'REVERSED',
    ]);
  });

  it('does not count where it is taken back in between', async () => {
    const trip = await paid(true, NOT_PAID, PAID, NOT_PAID);
    for (let looks = 0; looks < 3; looks++) await later(trip, 'watch', 10_000);
    expect([await trip.state(), await trip.posted(), await trip.incidents()]).toEqual([
      'COMPLETE',
      ['payout_held', 'payout_settled'],
      [{ event: 'not_paid_last', times: 2 }],
    ]);
  });

  it('unwinds a payment made again, which the partner owed', async () => {
    const provider = new ScriptedProvider([NOT_PAID, PAID, NOT_PAID, NOT_PAID]);
    Object.assign(provider.promises, { tellsReturnAsNotPaid: true });
    const trip = await startedHarness(pg, provider);
    await trip.call('submit');
    await later(trip, 'watch', 2_000);
    expect([await trip.state(), await trip.debt()]).toEqual(['FAILED', AMOUNT]);
    for (let looks = 0; looks < 2; looks++) await later(trip, 'watch', 10_000);
    expect([await trip.state(), await trip.debt(), (await trip.posted()).at(-1)]).toEqual([
      'FAILED',
      0n,
      'duplicate_payment_returned',
    ]);
  });

  it('changes nothing that people have settled', async () => {
    const provider = new ScriptedProvider([{ outcome: 'unknown', detail: '' }]);
    Object.assign(provider.promises, { tellsReturnAsNotPaid: true });
    const trip = await startedHarness(pg, provider);
    await trip.call('submit');
    const proposed = await trip.settle.propose({
      transactionId: trip.id,
      outcome: 'paid',
      receipt: 'R-9',
      paid: null,
      evidence: 'their portal',
      by: 'Ann',
    });
    if (!proposed.ok) throw new Error(proposed.error.message);
    await trip.settle.approve({ settlementId: proposed.value.settlementId, by: 'Ben' });
    provider.query = () => Promise.resolve(NOT_PAID);
    for (let looks = 0; looks < 3; looks++) await later(trip, 'watch', 600_000);
    expect([await trip.state(), await trip.posted()]).toEqual(['COMPLETE', ['payout_held', 'payout_settled']]);
  });
});

it('"not paid" of what was paid stays an incident, by a provider that tells returns otherwise', async () => {
  const trip = await paid(false, ...Array.from({ length: 4 }, () => NOT_PAID));
  for (let looks = 0; looks < 4; looks++) await later(trip, 'watch', 10_000);
  expect([await trip.state(), await trip.wallet(), submits(trip)]).toEqual(['COMPLETE', SPENT, [1, 0]]);
  expect(await trip.incidents()).toEqual([{ event: 'not_paid_last', times: 4 }]);
});

it('a payment that is taken and then not paid, without a receipt before, is no return', async () => {
  const provider = new ScriptedProvider([SUBMITTED, NOT_PAID]);
  Object.assign(provider.promises, { tellsReturnAsNotPaid: true });
  const trip = await startedHarness(pg, provider);
  await trip.call('submit');
  await later(trip, 'poll');
  expect([await trip.state(), await trip.posted()]).toEqual(['FAILED', ['payout_held', 'payout_released']]);
});

describe('"reversed", by a provider that says the same of money that never arrived', () => {
  const REVERSED: ProviderAnswer = {
    outcome: 'reversed',
    receipt: 'R1',
    detail: 'REVERSED',
    elseNotPaid: 'rail_rejected',
  };

  it('is a return of what was paid', async () => {
    const trip = await paid(false, REVERSED, REVERSED);
    for (let looks = 0; looks < 2; looks++) await later(trip, 'watch', 10_000);
    expect([await trip.state(), await trip.posted(), await trip.wallet(), await trip.incidents()]).toEqual([
      'REVERSED',
      ['payout_held', 'payout_settled', 'payout_reversed'],
      FUNDS,
      [],
    ]);
  });

  it('is "not paid" of what was not: the partner never hears of a payment, and no other provider pays', async () => {
    const provider = new ScriptedProvider([SUBMITTED, REVERSED, REVERSED]);
    const trip = await startedHarness(pg, provider, new ScriptedProvider([], false, 'sandbox_b'));
    await trip.call('submit');
    await later(trip, 'poll');
    await later(trip, 'watch', 10_000);
    expect([await trip.state(), await trip.posted(), await trip.wallet(), await trip.incidents(), submits(trip)]).toEqual(
      ['FAILED', ['payout_held', 'payout_released'], FUNDS, [], [1, 0]],
    );
    expect(await trip.row()).toMatchObject({ status: 'FAILED', receipt_number: null });
  }); // prettier-ignore

  it('unwinds a payment that was made after "not paid"', async () => {
    const trip = await startedHarness(pg, new ScriptedProvider([NOT_PAID, PAID, REVERSED]));
    await trip.call('submit');
    await later(trip, 'watch', 2_000);
    expect([await trip.state(), await trip.debt()]).toEqual(['FAILED', AMOUNT]);
    await later(trip, 'watch', 10_000);
    expect([await trip.debt(), (await trip.posted()).at(-1)]).toEqual([0n, 'duplicate_payment_returned']);
  });
});
