import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProviderAnswer } from '@vuka/payouts';

import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import {
  AMOUNT,
  FEE,
  FUNDS,
  later,
  ScriptedProvider,
  startedHarness,
  type Harness,
} from '../testing/payout-harness.spec-support.js';
import {
  NO_FLOAT,
  NOT_PAID,
  NOT_PAID_HERE,
  paid,
  SUBMITTED,
  UNKNOWN,
} from '../testing/provider-answers.spec-support.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const SPENT = FUNDS - AMOUNT - FEE;

const twoHarnesses = (first: ProviderAnswer[], second: ProviderAnswer[]): Promise<Harness> =>
  startedHarness(pg, new ScriptedProvider(first), new ScriptedProvider(second, false, 'sandbox_b'));

/** The first refused for its own reason; the second was started. */
async function failedOver(first: ProviderAnswer[], second: ProviderAnswer[]): Promise<Harness> {
  const trip = await twoHarnesses([NOT_PAID_HERE, ...first], second);
  await trip.call('submit');
  expect(await trip.state()).toBe('QUEUED');
  await trip.start();
  expect(await trip.state()).toBe('SUBMITTING');
  return trip;
}

describe('failover', () => {
  it('pays through the second provider what the first one could not', async () => {
    const trip = await failedOver([], [paid('B1')]);
    await trip.call('submit');
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'B1' });
    expect((await trip.told()).map(([type]) => type)).toEqual(['transaction.processing', 'transaction.complete']);
    expect(
      await pg.db.query(
        `select from entries e join accounts a on a.id = e.to_account where a.name = 'rail:sandbox_b:main:KES' and e.posting_id in (select id from postings where transaction_id = ${trip.id})`,
      ),
    ).toHaveLength(1);
  });

  it('ends where every provider has turned it down', async () => {
    const trip = await failedOver([], [NOT_PAID_HERE]);
    await trip.call('submit');
    expect([await trip.state(), await trip.wallet()]).toEqual(['FAILED', FUNDS]);
  });

  it('does not try another provider for a reason that is the recipient’s', async () => {
    const trip = await twoHarnesses([NOT_PAID], []);
    await trip.call('submit');
    expect([await trip.state(), trip.providers[1]?.submitted]).toEqual(['FAILED', []]);
  });

  it('takes a late success of the first provider for the payment while the second is unsent: that one never goes out', async () => {
    const trip = await failedOver([paid('A-late')], []);
    expect(await later(trip, 'watch', 10_000)).toBe(1);
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'A-late' });
    expect([await trip.call('submit'), trip.providers[1]?.submitted, await trip.posted()]).toEqual([
      0,
      [],
      ['payout_held', 'payout_settled'],
    ]);
  });

  it('charges once where both have paid after all', async () => {
    const trip = await failedOver([paid('A-late')], [SUBMITTED, paid('B1')]);
    await trip.call('submit');
    expect(await later(trip, 'watch', 2_000)).toBe(1);
    expect([await trip.state(), await trip.posted(), await trip.debt()]).toEqual([
      'SUBMITTED',
      ['payout_held', 'duplicate_payment_ours'],
      0n,
    ]);
    await later(trip, 'poll');
    expect([await trip.state(), await trip.wallet(), await trip.debt(), (await trip.incidents()).length]).toEqual([
      'COMPLETE',
      SPENT,
      0n,
      1,
    ]);
  });

  it('settles by the late success of the first provider where the second one fails', async () => {
    const trip = await failedOver([paid('A-late')], [SUBMITTED, NOT_PAID]);
    await trip.call('submit');
    await later(trip, 'watch', 2_000);
    await later(trip, 'poll');
    expect(await trip.state()).toBe('QUEUED');
    // Paid already, so not held for another provider.
    trip.clock.advance(60_000);
    await trip.start();
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'A-late' });
    expect([await trip.posted(), await trip.wallet(), await trip.debt()]).toEqual([
      ['payout_held', 'duplicate_payment_ours', 'duplicate_payment_ours_returned', 'payout_settled'],
      SPENT,
      0n,
    ]);
  });
});

describe('parking', () => {
  it('takes a late success for the payment', async () => {
    const trip = await twoHarnesses([NOT_PAID_HERE, paid('A-late')], [NO_FLOAT, UNKNOWN]);
    await trip.call('submit');
    await trip.start();
    await trip.call('submit');
    expect(await trip.state()).toBe('QUEUED');
    await later(trip, 'watch', 2_000);
    expect(await trip.row()).toMatchObject({ status: 'COMPLETE', receipt_number: 'A-late' });
  });

  it('tries the other provider at once, and only then waits', async () => {
    const trip = await twoHarnesses([NO_FLOAT, NO_FLOAT], [NO_FLOAT, paid('B1')]);
    await trip.call('submit');
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), trip.providers.map(({ submitted }) => submitted.length)]).toEqual(['QUEUED', [1, 1]]);
    await trip.start();
    expect(await trip.state()).toBe('QUEUED');
    trip.clock.advance(1_000);
    await trip.start();
    await trip.call('submit');
    await trip.start();
    await trip.call('submit');
    expect([await trip.state(), trip.providers.map(({ submitted }) => submitted.length)]).toEqual(['COMPLETE', [2, 2]]);
    expect(new Set(trip.providers.flatMap(({ submitted }) => submitted)).size).toBe(4);
  });

  it('begins to wait anew when a provider has taken the payment in between', async () => {
    const trip = await twoHarnesses([NO_FLOAT, NO_FLOAT, NO_FLOAT], [SUBMITTED, NOT_PAID_HERE]);
    await trip.call('submit');
    await trip.start();
    await trip.call('submit');
    expect(await trip.state()).toBe('SUBMITTED');
    await later(trip, 'poll', 40_000);
    expect(await trip.state()).toBe('QUEUED');
    await trip.start();
    await trip.call('submit');
    // A new deadline, although the first has passed.
    expect(await trip.state()).toBe('QUEUED');
    trip.clock.advance(30_000);
    await trip.start();
    expect([await trip.state(), (await trip.row()).failure_code, await trip.wallet()]).toEqual([
      'FAILED',
      'rail_unavailable',
      FUNDS,
    ]);
  });
});
