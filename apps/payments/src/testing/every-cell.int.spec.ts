import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money, type TransactionState } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { expected, goldenChoices, trigger, check } from './golden-cells.spec-support.js';
import { AMOUNT, Harness, ScriptedProvider } from './payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';

/**
 * Model test of docs/generated/coverage.md: brings a wallet-funded transaction to each state, applies each event,
 * and compares PostgreSQL with the reviewed golden copy.
 */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(async () => {
  const rules = await pg.broken();
  await pg.stop();
  // These events lack the provider's record of the attempt, so one rule of attempts does not apply.
  expect(rules.filter(({ rule }) => !rule.includes('attempt'))).toEqual([]);
});

const SUBMITTED: ProviderAnswer = { outcome: 'submitted' };
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};
const NOT_PAID: ProviderAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' };
const NO_FLOAT: ProviderAnswer = { outcome: 'deferred', reason: 'float', detail: '' };

/** The first provider's answers that lead to the state. null: nothing starts. */
const HARNESSES: Readonly<Partial<Record<TransactionState, readonly ProviderAnswer[] | null>>> = {
  ACCEPTED: null,
  QUEUED: [NO_FLOAT],
  SUBMITTING: [],
  SUBMITTED: [SUBMITTED],
  IN_DOUBT: [{ outcome: 'unknown', detail: '' }],
  REVIEW: [{ outcome: 'mismatch', detail: '' }],
  COMPLETE: [PAID],
  FAILED: [NOT_PAID],
  REVERSED: [PAID, { outcome: 'reversed', receipt: 'R1', detail: '' }],
};

async function at(state: TransactionState): Promise<Harness> {
  const script = HARNESSES[state];
  const trip = await new Harness(pg, new ScriptedProvider([...(script ?? [])])).accepted();
  if (script === null) return trip;
  await trip.start();
  if (script!.length > 0) await trip.call('submit');
  if (script!.length > 1) {
    trip.clock.advance(10_000);
    await trip.call('watch');
  }
  expect(await trip.state()).toBe(state);
  return trip;
}

/** An unexpected payment, so that it can be returned. */
async function payAgain(trip: Harness, of: 'current' | 'older'): Promise<void> {
  await trip.machine.apply((await trip.store.byId(trip.id))!, () => trigger(trip, 'succeeded', '', of));
  expect((await trip.attempts.historyOf(trip.id)).duplicatePayment).toHaveLength(1);
}

/** In QUEUED a payment is ours only if it was found while a later attempt was out. */
async function queuedAndPaid(): Promise<Harness> {
  const trip = await new Harness(
    pg,
    new ScriptedProvider([{ ...NOT_PAID, routeLeft: true } as ProviderAnswer]),
    new ScriptedProvider([SUBMITTED, NOT_PAID], false, 'sandbox_b'),
  ).accepted();
  await trip.start();
  await trip.call('submit');
  await trip.start();
  await trip.call('submit');
  await payAgain(trip, 'older');
  trip.clock.advance(1_000);
  await trip.call('poll');
  expect(await trip.state()).toBe('QUEUED');
  return trip;
}

/** In `every-failed-pay-cell.int.spec`. */
const OF_A_REFUND: ReadonlySet<string> = new Set([
  'its refund is not granted',
  'its refund was granted',
  'a payment stands',
]);

/** Excludes cells that a wallet cannot reach; the domain's walk has them. */
function isReal([state, event, when]: readonly [string, string, string, string]): boolean {
  if (HARNESSES[state as TransactionState] === undefined) return false;
  // Needs an attempt, and every REVIEW here has one.
  if (when === 'no attempt was sent' || OF_A_REFUND.has(when)) return false;
  return !(when === 'duplicate_payment is posted' && state === 'QUEUED' && event === 'reversed');
}

describe('every cell of the payout table', () => {
  it.each(goldenChoices('payout', 0).filter(isReal))('%s + %s (%s): %s', async (state, event, when, then) => {
    const trip =
      when === 'duplicate_payment is posted' && state === 'QUEUED'
        ? await queuedAndPaid()
        : await at(state as TransactionState);
    if (when === 'duplicate_payment is posted' && state !== 'QUEUED') await payAgain(trip, 'current');
    const before = await check(trip);
    await trip.machine.apply((await trip.store.byId(trip.id))!, () => trigger(trip, event, when));
    expect(await check(trip)).toEqual(expected(before, then));
  });
});

/** With the current attempt out; the contradiction suites have the others. */
function isHeard(event: string, when: string): boolean {
  const isElse = when === '' && (event === 'submitted' || event === 'unknown');
  return when !== 'nothing else is under way' && !OF_A_REFUND.has(when) && !isElse;
}

describe('what an older attempt says', () => {
  it.each(goldenChoices('payout', 1).filter(([, event, when]) => isHeard(event, when)))(
    '%s + %s (%s): %s',
    async (_, event, when, then) => {
      const trip = await new Harness(
        pg,
        new ScriptedProvider([{ ...NOT_PAID, routeLeft: true }]),
        new ScriptedProvider([SUBMITTED], false, 'sandbox_b'),
      ).accepted();
      await trip.start();
      await trip.call('submit');
      await trip.start();
      await trip.call('submit');
      expect(await trip.state()).toBe('SUBMITTED');
      if (when === 'duplicate_payment is posted') await payAgain(trip, 'older');
      const before = await check(trip);
      await trip.machine.apply((await trip.store.byId(trip.id))!, () => trigger(trip, event, when, 'older'));
      expect(await check(trip)).toEqual(expected(before, then));
    },
  );
});
