import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProviderAnswer } from '@vuka/payouts';

import { expected, goldenChoices, trigger, check } from './golden-cells.spec-support.js';
import { fundProviders } from './pay-harness.spec-support.js';
import { ScriptedProvider } from './payout-harness.spec-support.js';
import { ADDRESS, RefundHarness } from './refund-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';

/**
 * The coverage table's rows for failed pays with refunds, in each place of the value, against the reviewed golden
 * copy. `every-cell.int.spec` has the rest.
 */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(async () => {
  const rules = await pg.broken();
  await pg.stop();
  // These events lack the provider's record of the attempt, so one rule of attempts does not apply.
  expect(rules.filter(({ rule }) => !rule.includes('attempt'))).toEqual([]);
});

const NOT_PAID = {
  outcome: 'not_paid',
  code: 'rail_rejected',
  routeLeft: false,
  detail: '',
} as const satisfies ProviderAnswer;

/** Keys also name the refund's state. */
const PLACES = {
  'its refund is not granted': () => Promise.resolve(),
  'its refund was granted': (trip: RefundHarness) => trip.grants.run(),
  'a payment stands': async (trip: RefundHarness) => {
    await trip.machine.apply((await trip.store.byId(trip.id))!, () => trigger(trip, 'succeeded', ''));
    expect(await trip.posted()).toEqual(expect.arrayContaining(['payout_settled', 'refund_hold_withdrawn']));
  },
} as const;
type Place = keyof typeof PLACES;
type Of = 'current' | 'older';

/** The first choice that applies. */
function cells(table: 0 | 1): (readonly [place: Place, event: string, when: string, then: string])[] {
  const row = goldenChoices('payout', table).filter(([state]) => state === (table === 0 ? 'FAILED' : 'any'));
  const events = [...new Set(row.map(([, event]) => event))];
  return (Object.keys(PLACES) as Place[]).flatMap((place) =>
    events.map((event) => {
      const [, , when, then] = row.find(([, of, when]) => of === event && (when === place || when === ''))!;
      return [place, event, when, then] as const;
    }),
  );
}

/** After one or two attempts. */
async function failed(of: Of, place: Place): Promise<RefundHarness> {
  const providers =
    of === 'current'
      ? [new ScriptedProvider([NOT_PAID])]
      : [
          new ScriptedProvider([{ ...NOT_PAID, routeLeft: true }]),
          new ScriptedProvider([NOT_PAID], false, 'sandbox_b'),
        ];
  const trip = new RefundHarness(pg, ...providers);
  await trip.payAccepted({ refund_address: ADDRESS });
  await trip.verified(trip.facts({ received_minor: '3866000' }));
  for (let attempts = 0; attempts < providers.length; attempts++) {
    await trip.start();
    await trip.call('submit');
  }
  expect(await trip.state()).toBe('FAILED');
  await PLACES[place](trip);
  return trip;
}

const refundState = async ({ id }: RefundHarness): Promise<unknown> =>
  (await pg.db.query('select state, failure from refunds where transaction_id = $1', [id]))[0];

/** States after the place is left, or not. */
const AFTER: Readonly<Record<Place, readonly [deposit: string, refund: string]>> = {
  'its refund is not granted': ['refunding', 'HELD'],
  'its refund was granted': ['refunding', 'GRANTED'],
  'a payment stands': ['funding', 'FAILED'],
};

async function expectCell(of: Of, [place, event, when, then]: ReturnType<typeof cells>[number]): Promise<void> {
  const trip = await failed(of, place);
  const before = await check(trip);
  await trip.machine.apply((await trip.store.byId(trip.id))!, () => trigger(trip, event, when, of));
  expect(await check(trip)).toEqual(expected(before, then, { paymentStands: place === 'a payment stands' }));
  const [deposit, refund] = then.includes('refund_hold_withdrawn') ? AFTER['a payment stands'] : AFTER[place];
  expect([(await trip.depositStates()).map(([, state]) => state), await refundState(trip)]).toEqual([
    [then.includes('payout_reversed') ? 'credited' : deposit],
    expect.objectContaining({ state: refund }),
  ]);
}

describe('a failed pay whose value goes back', () => {
  it.each(cells(0))('%s + %s (%s): %s', (...cell) => expectCell('current', cell));
});

describe('a failed pay whose value goes back, and what an older attempt says', () => {
  it.each(cells(1))('%s + %s (%s): %s', (...cell) => expectCell('older', cell));
});
