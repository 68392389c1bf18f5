import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { DepositFacts } from '@vuka/contracts';
import { PermanentEventError } from '@vuka/messaging';
import type { ProviderAnswer } from '@vuka/payouts';
import { atDepth } from '@vuka/testing';
import fc from 'fast-check';

import { fundProviders, PayHarness, RATE } from '../testing/pay-harness.spec-support.js';
import { dice, losingAnswers } from '../testing/payout-chaos.spec-support.js';
import { ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

/** In every order and repetition of verdicts, each deposit's value is in one place, and assets sum to zero. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stop());

type Step =
  | { readonly kind: 'seen' }
  | { readonly kind: 'verified'; readonly deposit: number; readonly hit: boolean; readonly also: boolean }
  | { readonly kind: 'unapplied'; readonly deposit: number; readonly also: boolean }
  | { readonly kind: 'unusable'; readonly releases: boolean }
  | { readonly kind: 'credited'; readonly deposit: number }
  | { readonly kind: 'again'; readonly which: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'call' };

const deposit = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('seen' as const) }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('verified' as const), deposit, hit: fc.boolean(), also: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unapplied' as const), deposit, also: fc.boolean() }) },
  fc.record({ kind: fc.constant('unusable' as const), releases: fc.boolean() }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('credited' as const), deposit }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const), which: fc.nat({ max: 20 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('start' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('call' as const) }) },
);

const ANSWERS: readonly ProviderAnswer[] = [
  { outcome: 'succeeded', receipt: 'R1', publicName: null, amount: money(500_00n, 'KES'), recipient: '1' },
  { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' },
  { outcome: 'submitted' },
  { outcome: 'unknown', detail: '' },
];

/** Enough, short within tolerance, and too little. */
const RECEIVED = ['3866000', '3865000', '1000001'] as const;

class Life {
  readonly deposits: readonly (readonly [DepositFacts, DepositFacts])[];
  private readonly told: (() => Promise<unknown>)[] = [];

  constructor(readonly trip: PayHarness) {
    this.deposits = RECEIVED.map(
      (received_minor) =>
        [trip.facts({ received_minor }), trip.facts({ asset: 'USDT@CELO', received_minor: '12345' })] as const,
    );
  }

  async run(one: Step): Promise<void> {
    const { trip } = this;
    if (one.kind === 'start') return void (await trip.start());
    if (one.kind === 'call') return void (await trip.call('submit'));
    if (one.kind === 'again')
      return this.told.length === 0 ? undefined : this.hand(this.told[one.which % this.told.length]!);
    const tell = this.event(one);
    this.told.push(tell);
    await this.hand(tell);
  }

  /** Invalid verdicts become dead letters. */
  private async hand(tell: () => Promise<unknown>): Promise<void> {
    await tell().catch((error: unknown) => {
      if (!(error instanceof PermanentEventError)) throw error;
    });
  }

  private event(one: Exclude<Step, { kind: 'start' | 'call' | 'again' }>): () => Promise<unknown> {
    const { trip } = this;
    if (one.kind === 'seen') {
      const event = trip.event('deposit.seen', {});
      return () => trip.tell(event);
    }
    if (one.kind === 'unusable') {
      const event = trip.event('deposit.unusable', { reason: 'no_matching_transfer', releases_claim: one.releases });
      return () => trip.tell(event);
    }
    const [main, beside] = this.deposits[one.deposit]!;
    if (one.kind === 'credited') {
      const event = trip.event('deposit.credited', { deposit: main, currency: 'KES', rate: RATE });
      return () => trip.credits.run(event);
    }
    const also = one.also ? [beside] : [];
    const event =
      one.kind === 'verified'
        ? trip.event('deposit.verified', {
            deposit: main,
            also,
            rate: RATE,
            quote_passed_over: null,
            screening_hit: one.hit,
          })
        : trip.event('deposit.unapplied', { deposit: main, also, reason: 'underpaid', rate: RATE });
    return () => trip.tell(event);
  }
}

/** By the ledger's entries. */
async function expectInOnePlace({ trip, deposits }: Life): Promise<void> {
  const rows = await pg.db.query<{ deposit_id: string; state: string; asset: string; received_minor: string }>(
    'select deposit_id::text as deposit_id, state, asset, received_minor::text as received_minor from deposits where transaction_id = $1',
    [trip.id],
  );
  for (const asset of ['USDC@CELO', 'USDT@CELO']) {
    const sum = (...states: string[]): bigint =>
      rows
        .filter((row) => row.asset === asset && states.includes(row.state))
        .reduce((all, row) => all + BigInt(row.received_minor), 0n);
    expect([
      await trip.flow(`chain:CELO:${asset}`),
      await trip.on('unapplied', asset),
      await trip.on('refunding', asset),
      await trip.flow(`fx:${asset}`),
    ]).toEqual([
      -sum('unapplied', 'funding', 'credited', 'refunding'),
      sum('unapplied'),
      sum('refunding'),
      sum('funding', 'credited'),
    ]);
  }
  const known = new Set(deposits.flat().map(({ deposit_id: id }) => id));
  expect(rows.every((row) => known.has(Number(row.deposit_id)))).toBe(true);
  // Statuses are never withdrawn, and a final one comes once.
  const told = (await trip.told()).filter(([type]) => type !== 'transaction.held').map(([, , status]) => status);
  expect(['', 'PROCESSING', 'PROCESSING COMPLETE', 'PROCESSING FAILED', 'FAILED']).toContain(told.join(' '));
  const held = (await trip.told()).filter(([type]) => type === 'transaction.held');
  expect(held.length).toBeLessThanOrEqual(1);
}

describe('verdicts of any order', () => {
  it('keep the value of each deposit in exactly one place, and the sum of the ledger at zero', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(...ANSWERS),
        fc.boolean(),
        async (steps, answer, refunds) => {
          const trip = await new PayHarness(pg, new ScriptedProvider([answer, answer])).payAccepted(
            refunds ? { refund_address: '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B' } : {},
          );
          const life = new Life(trip);
          for (const one of steps) await life.run(one);
          await expectInOnePlace(life);
        },
      ),
      { numRuns: atDepth({ commit: 50, whole: 300 }) },
    );
    expect(await pg.broken()).toEqual([]);
  }, 180_000);

  it('that come concurrently do so too', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          step.filter(({ kind }) => kind !== 'start' && kind !== 'call'),
          { minLength: 2, maxLength: 4 },
        ),
        async (steps) => {
          const life = new Life(await new PayHarness(pg).payAccepted());
          // An event that was overtaken three times is redelivered.
          const outcomes = await Promise.allSettled(steps.map((one) => life.run(one)));
          for (const [index, { status }] of outcomes.entries())
            if (status === 'rejected') await life.run(steps[index]!);
          await expectInOnePlace(life);
        },
      ),
      { numRuns: atDepth({ commit: 25, whole: 150 }) },
    );
    expect(await pg.broken()).toEqual([]);
  }, 180_000);
});

describe('commits whose answers are lost', () => {
  const pays = atDepth({ commit: 20, whole: 40 });

  it('are sent again, and a hash is claimed once, a deposit is funded once, and an event that comes again is nothing', async () => {
    const lossy = losingAnswers(pg, pg.db, dice(6));
    const refused: string[] = [];
    await Promise.all(
      Array.from({ length: pays }, async () => {
        const trip = await new PayHarness(lossy).payAccepted();
        const other = await trip.ask({ transaction_code: 'another', fingerprint: 'v1:another' });
        if (!other.ok) refused.push(other.error.code);
        const main = trip.facts({ received_minor: '3866000' });
        const event = trip.event('deposit.verified', {
          deposit: main,
          also: [],
          rate: RATE,
          quote_passed_over: null,
          screening_hit: false,
        });
        // As after a crash before the cursor was saved.
        for (let delivery = 0; delivery < 3; delivery += 1) await trip.tell(event);
        expect([await trip.state(), await trip.posted(), await trip.held(), (await trip.told()).length]).toEqual([
          'QUEUED',
          ['deposit_received', 'pay_funded'],
          50007n,
          1,
        ]);
      }),
    );
    expect(refused).toEqual(Array.from({ length: pays }, () => 'hash_already_processed'));
    expect(await pg.broken()).toEqual([]);
  }, 60_000);
});
