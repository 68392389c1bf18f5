import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DepositFacts } from '@vuka/contracts';
import { money, type TransactionState } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { expected, goldenChoices, check } from './golden-cells.spec-support.js';
import { fundProviders, PayHarness } from './pay-harness.spec-support.js';
import { AMOUNT, ScriptedProvider } from './payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';

/** Model test of deposits: each verdict in each state, against the reviewed golden copy. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};
const SCRIPTS: Readonly<Partial<Record<TransactionState, readonly ProviderAnswer[]>>> = {
  SUBMITTING: [],
  SUBMITTED: [{ outcome: 'submitted' }],
  IN_DOUBT: [{ outcome: 'unknown', detail: '' }],
  REVIEW: [{ outcome: 'mismatch', detail: '' }],
  COMPLETE: [PAID],
  REVERSED: [PAID, { outcome: 'reversed', receipt: 'R1', detail: '' }],
};

/** Short within tolerance (3.865 × 129.3517 = 499.94): shortfall_covered is not 0. */
const SHORT = { received_minor: '3865000' };

interface Stand {
  readonly trip: PayHarness;
  /** In the ledger; null: none. */
  readonly deposit: DepositFacts | null;
}

async function at(state: TransactionState, withDeposit: boolean): Promise<Stand> {
  const script = SCRIPTS[state];
  const trip = await new PayHarness(pg, new ScriptedProvider([...(script ?? [])])).payAccepted();
  const deposit = trip.facts(SHORT);
  if (state === 'CONFIRMING') await trip.seen();
  else if (state === 'FAILED')
    await (withDeposit ? trip.unapplied(deposit) : trip.unusable('no_matching_transfer', true));
  else if (state !== 'AWAITING_FUNDS') {
    await trip.verified(deposit);
    if (script) await trip.start();
    if (script && script.length > 0) await trip.call('submit');
    if (script && script.length > 1) {
      trip.clock.advance(10_000);
      await trip.call('watch');
    }
  }
  expect(await trip.state()).toBe(state);
  return {
    trip,
    deposit: ['AWAITING_FUNDS', 'CONFIRMING'].includes(state) || (state === 'FAILED' && !withDeposit) ? null : deposit,
  };
}

function tell({ trip, deposit }: Stand, event: string, when: string): Promise<PayHarness> {
  const spokenOf = when === 'same deposit' && deposit !== null ? deposit : trip.facts(SHORT);
  switch (event) {
    case 'deposit.seen':
      return trip.seen();
    case 'deposit.verified':
      return trip.verified(spokenOf, { screening_hit: when === 'screening hit' });
    case 'deposit.unusable':
      return trip.unusable('no_matching_transfer', when === 'not found or not final');
    default:
      return trip.unapplied(spokenOf);
  }
}

/** Wallets have no claim; reversals are in every-reverted-cell.int.spec. */
const told = goldenChoices('deposit', 0).filter(
  ([state, event]) => state !== 'ACCEPTED' && !['deposit.reverted', 'screening.cleared'].includes(event),
);

describe('every verdict in every state', () => {
  it.each(told)('%s + %s (%s): %s', async (state, event, when, then) => {
    const stand = await at(state as TransactionState, when === 'same deposit');
    const before = await check(stand.trip);
    await tell(stand, event, when);
    expect(await check(stand.trip)).toEqual(expected(before, then));
  });

  it.each(told)(
    '%s + %s (%s) twice changes nothing more, as the same event and as another',
    async (state, event, when) => {
      const { trip, deposit } = await at(state as TransactionState, when === 'same deposit');
      const about = when === 'same deposit' && deposit !== null ? deposit : trip.facts(SHORT);
      const events = [0, 1].map(
        () =>
          ({
            'deposit.seen': trip.event('deposit.seen', {}),
            'deposit.verified': trip.event('deposit.verified', {
              deposit: about,
              also: [],
              rate: '129.3517',
              quote_passed_over: null,
              screening_hit: when === 'screening hit',
            }),
            'deposit.unusable': trip.event('deposit.unusable', {
              reason: 'no_matching_transfer',
              releases_claim: when === 'not found or not final',
            }),
            'deposit.unapplied': trip.event('deposit.unapplied', {
              deposit: about,
              also: [],
              reason: 'underpaid',
              rate: '129.3517',
            }),
          })[event]!,
      );
      await trip.tell(events[0]!);
      const once = await check(trip);
      // Also at the same time.
      await Promise.all([trip.tell(events[0]!), trip.tell(events[0]!)]);
      const again = await check(trip);
      expect(again).toEqual(once);
      await trip.tell(events[1]!);
      const later = await check(trip);
      expect([later.state, later.postings, later.told]).toEqual([once.state, once.postings, once.told]);
    },
  );
});
