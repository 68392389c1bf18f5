import { expect } from '@jest/globals';

import type { SettlementProposal } from '../settlements/settle-payout.js';
import type { Settlement } from '../settlements/settlement.store.js';
import type { ClaimedAttempt } from '../transactions/attempt-claims.store.js';
import type { PaymentsDatabase } from './payments-database.spec-support.js';
import { LEASE_MS, ScriptedProvider, startedHarness, type Harness } from './payout-harness.spec-support.js';
import { UNKNOWN } from './provider-answers.spec-support.js';

/** The first submit had no answer. */
export async function inDoubt(pg: PaymentsDatabase, provider = new ScriptedProvider([UNKNOWN])): Promise<Harness> {
  const trip = await startedHarness(pg, provider);
  await trip.call('submit');
  expect(await trip.state()).toBe('IN_DOUBT');
  trip.clock.advance(1_000);
  return trip;
}

export async function proposed(trip: Harness, more: Partial<SettlementProposal> = {}): Promise<number> {
  const result = await trip.settle.propose({
    transactionId: trip.id,
    outcome: 'not_paid',
    receipt: null,
    paid: null,
    evidence: 'the provider has no such payment',
    by: 'Ann',
    ...more,
  });
  if (!result.ok) throw new Error(result.error.message);
  return result.value.settlementId;
}

/** While this claim is under way. */
export async function approvedBeside(trip: Harness): Promise<{ id: number; underWay: ClaimedAttempt }> {
  const [underWay] = await trip.claim('poll');
  const id = await proposed(trip);
  expect(await trip.settle.approve({ settlementId: id, by: 'Ben' })).toMatchObject({
    ok: true,
    value: {
      executed: false,
      executesBy: new Date(trip.clock.now().getTime() + LEASE_MS),
      state: 'IN_DOUBT',
      status: 'PROCESSING',
    },
  });
  return { id, underWay: underWay! };
}

export const settlementOf = async (trip: Harness, id: number): Promise<Settlement> =>
  (await trip.settlements.byId(id))!;
export const posted = async (trip: Harness): Promise<unknown> => [
  await trip.state(),
  await trip.posted(),
  await trip.wallet(),
  await trip.debt(),
];
