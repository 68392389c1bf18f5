import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DepositFacts } from '@vuka/contracts';
import { decodeMoney, money, postingLegs, type PostingName, type TransactionState } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';
import { uuidv7 } from '@vuka/runtime';

import type { DepositState } from '../commit/payment-commit.js';
import { referenceOf } from '../commit/posting-reference.js';
import { expected, goldenChoices, check } from './golden-cells.spec-support.js';
import { fundProviders, PayHarness } from './pay-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';
import { AMOUNT, ScriptedProvider } from './payout-harness.spec-support.js';

/** Model test of `deposit.reverted`: each state and place of value, against the golden copy. */
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

const UNSENT = 'its attempt is unsent';

interface Stand {
  readonly trip: PayHarness;
  readonly deposit: DepositFacts;
}

/** With the main deposit and one beside it; `deposit` vanishes. */
async function at(state: TransactionState, when: string): Promise<Stand> {
  const isSent = state === 'SUBMITTING' && when !== UNSENT;
  const isUnsent = when === 'no attempt was sent';
  const isPaid = when === 'a payment stands as ours';
  const script = isUnsent ? undefined : SCRIPTS[state];
  const trip = await new PayHarness(
    pg,
    new ScriptedProvider([...(script ?? [])]),
    ...(isPaid ? [new ScriptedProvider([], false, 'sandbox_b')] : []),
  ).payAccepted();
  const [main, beside] = [trip.facts(), trip.facts({ asset: 'USDT@CELO', received_minor: '2000001' })];
  if (state === 'AWAITING_FUNDS') return { trip, deposit: main };
  if (state === 'CONFIRMING') return { trip: await trip.seen(), deposit: main };
  if (state === 'FAILED') await trip.unapplied(main, { also: [beside] });
  else await trip.verified(main, { also: [beside], screening_hit: isUnsent });
  if (isPaid) await trip.paidWhileQueued();
  if (script) await trip.start();
  for (const [index] of (script ?? []).entries()) {
    if (index > 0) trip.clock.advance(10_000);
    await trip.call(index === 0 ? 'submit' : 'watch');
  }
  // The process dies before the call.
  if (isSent) await trip.claim('submit');
  expect(await trip.state()).toBe(state);
  if (when === '' || when === UNSENT || isUnsent || isPaid)
    return { trip, deposit: state === 'FAILED' ? trip.facts() : main };
  await bringTo(trip, beside, when);
  return { trip, deposit: beside };
}

async function bringTo(trip: PayHarness, deposit: DepositFacts, when: string): Promise<void> {
  if (when === 'the value is in the wallet') await trip.credited(deposit);
  if (when === 'already reverted') await trip.reverted(deposit);
  if (when === 'the value is being refunded' || when === 'the value was refunded')
    await moved(trip, deposit, 'unapplied_refund_held', 'unapplied', 'refunding');
  if (when === 'the value was refunded') await moved(trip, deposit, 'refund_settled', 'refunding', 'refunded');
}

async function moved(
  trip: PayHarness,
  { deposit_id: depositId, asset, chain, received_minor: received }: DepositFacts,
  kind: PostingName,
  expectedState: DepositState,
  state: DepositState,
): Promise<void> {
  const legs = postingLegs(kind, { partner: trip.partner, chain, received: decodeMoney(received, asset) });
  const { outcome } = await trip.writer.commit(
    {
      commitId: uuidv7(),
      transactionId: null,
      about: trip.id,
      expectedSequence: 0,
      transitions: [],
      outbox: [],
      postings: [{ reference: referenceOf(kind, depositId), kind, legs }],
      depositPatches: [{ depositId, expected: expectedState, state }],
    },
    'background',
  );
  expect(outcome).toBe('ok');
}

/** In `grant-refunds.int.spec`. */
const OF_A_REFUND = 'a payment stands';

/** A paid one completes instead of starting. */
const isReal = (state: string, when: string): boolean =>
  when !== OF_A_REFUND && !(state === 'SUBMITTING' && when === 'a payment stands as ours');

/** Wallet transactions have no claim. */
const told = goldenChoices('deposit', 0).filter(
  ([state, event, when]) => state !== 'ACCEPTED' && event === 'deposit.reverted' && isReal(state, when),
);

describe('what vanishes, in every state and from every place', () => {
  it.each(told)('%s + %s (%s): %s', async (state, _event, when, then) => {
    const { trip, deposit } = await at(state as TransactionState, when);
    const before = await check(trip);
    await trip.reverted(deposit);
    expect(await check(trip)).toEqual(expected(before, then));
  });

  it.each(told)(
    '%s + %s (%s) twice changes nothing more, as the same event and as another',
    async (state, _event, when) => {
      const { trip, deposit } = await at(state as TransactionState, when);
      const before = await check(trip);
      const events = [0, 1].map(() => trip.event('deposit.reverted', { deposit }));
      await Promise.all([
        trip.reversals.run(events[0]!),
        trip.reversals.run(events[0]!),
        trip.reversals.run(events[1]!),
      ]);
      const once = await check(trip);
      for (const event of events) await trip.reversals.run(event);
      expect(await check(trip)).toEqual(once);
      expect(once.postings.length - before.postings.length).toBeLessThanOrEqual(1);
      expect(once.incidents - before.incidents).toBeLessThanOrEqual(1);
    },
  );

  it.each(['verified', 'unapplied'] as const)(
    'what is %s after the word that it is gone comes in and goes at once, with all that came beside it',
    async (verdict) => {
      const trip = await new PayHarness(pg, new ScriptedProvider([])).payAccepted();
      const [main, beside] = [trip.facts(), trip.facts({ asset: 'USDT@CELO' })];
      const late =
        verdict === 'verified'
          ? trip.event('deposit.verified', {
              deposit: main,
              also: [beside],
              rate: '129.3517',
              quote_passed_over: null,
              screening_hit: false,
            })
          : trip.event('deposit.unapplied', { deposit: main, also: [beside], reason: 'underpaid', rate: '129.3517' });
      await trip.reverted(beside);
      await trip.reverted(main);
      expect(await trip.posted()).toEqual([]);
      await Promise.all([trip.tell(late), trip.tell(late)]);
      await trip.tell(late);
      expect(await trip.state()).toBe('FAILED');
      expect((await trip.depositStates()).map(([, state]) => state)).toEqual(['reverted', 'reverted']);
      expect([
        await trip.held(),
        await trip.on('unapplied'),
        await trip.on('unapplied', 'USDT@CELO'),
        await trip.debt(),
      ]).toEqual([0n, 0n, 0n, 0n]);
    },
  );

  it('of a verdict and its end at the same moment the value is gone afterwards, whoever was first', async () => {
    for (let time = 0; time < 10; time += 1) {
      const trip = await new PayHarness(pg, new ScriptedProvider([])).payAccepted();
      const main = trip.facts();
      await Promise.all([trip.verified(main), trip.reverted(main)]);
      expect([await trip.state(), await trip.depositStates(), await trip.held()]).toEqual([
        'FAILED',
        [[main.deposit_id, 'reverted']],
        0n,
      ]);
    }
  });

  it('refuses a word about a deposit of another claim, or of another value', async () => {
    const trip = await new PayHarness(pg, new ScriptedProvider([])).payAccepted();
    const other = await new PayHarness(pg, new ScriptedProvider([])).payAccepted();
    const deposit = trip.facts();
    await trip.verified(deposit);
    await expect(other.reverted(deposit)).rejects.toMatchObject({ name: 'PermanentEventError' });
    await expect(trip.reverted({ ...deposit, received_minor: '1' })).rejects.toMatchObject({
      name: 'PermanentEventError',
    });
    await expect(
      trip.reversals.run(trip.event('deposit.reverted', { deposit }, { partner_id: 999_999 })),
    ).rejects.toMatchObject({ name: 'PermanentEventError' });
    expect(await trip.state()).toBe('QUEUED');
  });
});
