import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProviderAnswer, StatementPage, StatementProvider } from '@vuka/payouts';

import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import {
  AMOUNT,
  FEE,
  FUNDS,
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

it('"not paid" of what was paid is an incident, however often it is said, and never a second payout', async () => {
  const provider = new ScriptedProvider([PAID, ...Array.from({ length: 4 }, () => NOT_PAID)]);
  const trip = await startedHarness(pg, provider, new ScriptedProvider([], false, 'sandbox_b'));
  await trip.call('submit');
  for (let looks = 0; looks < 4; looks++) await later(trip, 'watch', 10_000);
  await trip.start();
  expect([await trip.state(), await trip.wallet(), await trip.call('submit')]).toEqual([
    'COMPLETE',
    FUNDS - AMOUNT - FEE,
    0,
  ]);
  expect(trip.providers.map(({ submitted }) => submitted.length)).toEqual([1, 0]);
  expect(await trip.incidents()).toEqual([{ event: 'not_paid_last', times: 4 }]);
});

describe('a payment that comes back days later', () => {
  const returned = (): ProviderAnswer[] => [PAID, { outcome: 'reversed', receipt: 'R1', detail: 'REVERSED' }];
  const polledAt = async (provider: ScriptedProvider) => {
    const trip = await startedHarness(pg, provider);
    await trip.call('submit');
    await later(trip, 'watch', LATE_WINDOW_MS / 2);
    return [provider.queries, await trip.state()];
  };
  /** It lists nothing. */
  class Listing extends ScriptedProvider implements StatementProvider {
    statement = (): Promise<StatementPage> => Promise.resolve({ entries: [], next: '', more: false });
  }
  const tells = (provider: ScriptedProvider): ScriptedProvider => {
    Object.assign(provider.promises, { statementTellsReturns: true });
    return provider;
  };

  it('is heard by polls where the statement does not surely tell it', async () => {
    expect(await polledAt(new Listing(returned()))).toEqual([1, 'REVERSED']);
  });

  it('is heard by polls where there is no statement, whatever is promised of one', async () => {
    expect(await polledAt(tells(new ScriptedProvider(returned())))).toEqual([1, 'REVERSED']);
  });

  it('is left to the statement where that surely tells it', async () => {
    expect(await polledAt(tells(new Listing(returned())))).toEqual([0, 'COMPLETE']);
  });
});

describe('"reversed", by a provider that says the same of money that never arrived', () => {
  const REVERSED: ProviderAnswer = {
    outcome: 'reversed',
    receipt: 'R1',
    detail: 'REVERSED',
    elseNotPaid: 'rail_rejected',
  };

  it('is a return of what was paid', async () => {
    const trip = await startedHarness(pg, new ScriptedProvider([PAID, REVERSED, REVERSED]));
    await trip.call('submit');
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
    expect([await trip.state(), await trip.posted(), await trip.wallet(), await trip.incidents(), trip.providers.map(({ submitted }) => submitted.length)]).toEqual(
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
