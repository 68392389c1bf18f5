import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import {
  AMOUNT,
  FEE,
  FUNDS,
  later,
  ScriptedProvider,
  startedHarness,
} from '../testing/payout-harness.spec-support.js';
import { NOT_PAID, PAID } from '../testing/provider-answers.spec-support.js';

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
