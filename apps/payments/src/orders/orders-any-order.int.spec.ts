import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DepositFacts, Envelope } from '@vuka/contracts';
import { money, convertFloor, tokenRate } from '@vuka/domain';
import { atDepth, drawn } from '@vuka/testing';

import { OrderHarness, type Death, type Use } from '../testing/order-harness.spec-support.js';
import { RATE } from '../testing/pay-harness.spec-support.js';
import { dice } from '../testing/payout-chaos.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stop());

/** Of 24 possible. */
const DRAWN_ORDERS = 8;

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item, at) =>
    permutations([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest]),
  );
}

/** `worth`: wallet less debt. */
async function outcome(harness: OrderHarness): Promise<Record<string, unknown>> {
  const { unapplied, refunding, wallet, chain, owed } = await harness.money();
  return { unapplied, refunding, chain, worth: (wallet ?? 0n) + (owed ?? 0n), deposits: await harness.depositStates() };
}

describe('an order whose two deposits are told to be there, used and gone again', () => {
  const names = ['confirmed', 'settled', 'first reverted', 'second reverted'] as const;

  it.each(
    drawn('a deposit used and gone', permutations(names), DRAWN_ORDERS).map(
      (order) => [order.join(', '), order] as const,
    ),
  )('%s: everything is taken back, and its amount is owed', async (_, order) => {
    const harness = new OrderHarness(pg);
    const [whole, more] = [harness.transfer(3_000_000n), harness.transfer(2_000_000n)];
    const events: Readonly<Record<(typeof names)[number], Envelope>> = {
      confirmed: harness.confirmedEvent(whole, more),
      settled: harness.settledEvent([
        { deposit: whole, used: 3_000_000n, credited: 388_05n },
        { deposit: more, used: 1_000_000n, credited: 129_36n },
      ]),
      'first reverted': harness.revertedEvent(whole),
      'second reverted': harness.revertedEvent(more),
    };
    for (const name of order) {
      await harness.hear(events[name]);
      await harness.hear(events[name]);
      expect(await pg.broken()).toEqual([]);
    }
    expect(await harness.money()).toEqual({ unapplied: 0n, refunding: 0n, wallet: 517_41n, chain: 0n, owed: -517_41n });
    expect(await harness.depositStates()).toEqual([
      [whole.deposit_id, 'reverted'],
      [more.deposit_id, 'reverted'],
    ]);
    expect(await harness.state()).toBe('COMPLETE');
    expect(await harness.frozen.why(harness.partner)).toBe('vanished');
    await harness.collect();
    expect([await harness.wallet(), await harness.debt()]).toEqual([0n, 0n]);
    expect(await pg.broken()).toEqual([]);
  });
});

describe('a deposit that an order used for nothing', () => {
  const names = ['confirmed', 'settled', 'credited', 'reverted'] as const;

  it.each(
    drawn('a deposit used for nothing', permutations(names), DRAWN_ORDERS).map(
      (order) => [order.join(', '), order] as const,
    ),
  )('%s: nothing of it is left, and nobody has gained', async (_, order) => {
    const harness = new OrderHarness(pg);
    const deposit = harness.transfer(1_000_001n);
    const events: Readonly<Record<(typeof names)[number], Envelope>> = {
      confirmed: harness.confirmedEvent(deposit),
      settled: harness.leftEvent(deposit),
      credited: harness.creditedEvent(deposit),
      reverted: harness.revertedEvent(deposit),
    };
    for (const name of order) {
      await harness.hear(events[name]);
      await harness.hear(events[name]);
      expect(await pg.broken()).toEqual([]);
    }
    expect(await outcome(harness)).toEqual({
      unapplied: 0n,
      refunding: 0n,
      chain: 0n,
      worth: 0n,
      deposits: [[deposit.deposit_id, 'reverted']],
    });
    expect(await harness.state()).toBe('none');
    expect(await pg.broken()).toEqual([]);
  });
});

interface Plan extends Use {
  readonly byPolicy: boolean;
  readonly vanishes: boolean;
}

const worthOf = ({ asset, decimals }: DepositFacts, minor: bigint): bigint =>
  convertFloor(money(minor, asset), tokenRate(RATE, 'KES', { currency: asset, decimals })).minor;

const sidesOf =
  (chance: () => number) =>
  (sides: number): number =>
    Math.floor(chance() * sides);

/** One to four deposits, with random use, policy credit and reversal. */
function planOf(harness: OrderHarness, roll: (sides: number) => number): Plan[] {
  return Array.from({ length: 1 + roll(4) }, (_, at) => {
    const received = BigInt(1_000_000 + roll(3_000_000));
    // The first is always used.
    const used = at === 0 || roll(2) === 0 ? (roll(2) === 0 ? received : 1n + BigInt(roll(Number(received)))) : 0n;
    const deposit = harness.transfer(received);
    const credited = used === 0n ? 0n : worthOf(deposit, used);
    return { deposit, used, credited, byPolicy: used < received && roll(2) === 0, vanishes: roll(3) === 0 };
  });
}

function eventsOf(harness: OrderHarness, plan: readonly Plan[], roll: (sides: number) => number): Envelope[] {
  // Two events, as for very many deposits.
  const amount = plan.reduce((sum, { credited }) => sum + credited, 0n);
  const settled = plan.length > 2 && roll(2) === 0 ? [plan.slice(0, 2), plan.slice(2)] : [plan];
  return [
    ...plan.map(({ deposit }) => harness.confirmedEvent(deposit)),
    ...settled.map((uses) => harness.settledEvent(uses, { amount })),
    ...plan.flatMap(({ deposit, byPolicy }) => (byPolicy ? [harness.creditedEvent(deposit)] : [])),
    ...plan.flatMap(({ deposit, vanishes }) => (vanishes ? [harness.revertedEvent(deposit)] : [])),
  ];
}

function shuffled<T>(items: readonly T[], roll: (sides: number) => number): T[] {
  const left = [...items];
  return Array.from(items, () => left.splice(roll(left.length), 1)[0] as T);
}

/** By arithmetic alone. */
function expected(plan: readonly Plan[]): Record<string, unknown> {
  const stays = plan.filter(({ vanishes }) => !vanishes);
  const rest = ({ deposit, used }: Plan): bigint => BigInt(deposit.received_minor) - used;
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
  return {
    unapplied: sum(stays.filter(({ byPolicy }) => !byPolicy).map(rest)),
    refunding: 0n,
    chain: -sum(stays.map(({ deposit }) => BigInt(deposit.received_minor))),
    worth: sum(stays.map((one) => one.credited + (one.byPolicy ? worthOf(one.deposit, rest(one)) : 0n))),
    deposits: plan.map((one) => [
      one.deposit.deposit_id,
      one.vanishes ? 'reverted' : one.byPolicy || rest(one) === 0n ? 'credited' : 'unapplied',
    ]),
  };
}

describe('an order that is told of in any order', () => {
  it('twice, by two processes at once that die around their commits, ends with the same money', async () => {
    const seed = Number(
      process.env['ORDERS_SEED'] ?? atDepth({ commit: process.env['VUKA_TEST_DRAW'], whole: undefined }) ?? 20261122,
    );
    const rounds = atDepth({ commit: 15, whole: 40 });
    const roll = sidesOf(dice(seed));
    const first = new OrderHarness(pg);
    const second = await first.beside();
    for (let round = 0; round < rounds; round++) {
      for (const harness of [first, second])
        Object.assign(harness, { partner: 500_000 + round, id: 5_100_000_000_000_000 + round, code: `CHK-${round}` });
      const plan = planOf(first, roll);
      const events = eventsOf(first, plan, roll);
      const deaths: readonly (Death | null)[] = ['before', 'after', null, null];
      const tell = async (harness: OrderHarness): Promise<void> => {
        for (const event of shuffled([...events, ...events.slice(0, 2)], roll)) {
          const death = deaths[roll(deaths.length)] ?? null;
          if (death) harness.diesNext(death);
          await harness.hearUntilDone(event);
        }
      };
      await Promise.all([tell(first), tell(second)]);
      expect({ seed, round, ...(await outcome(first)) }).toEqual({ seed, round, ...expected(plan) });
    }
    expect(await pg.broken()).toEqual([]);
  }, 120_000);
});

// Last, because it breaks the ledger.
describe('ledger:check', () => {
  it('says where an order is credited less than its amount, and where a share is not its own', async () => {
    const harness = new OrderHarness(pg);
    const deposit = harness.transfer(3_000_000n);
    await harness.hear(harness.settledEvent([{ deposit, used: 3_000_000n, credited: 388_05n }], { amount: 388_06n }));
    const rule = 'an order is credited its amount, from its own deposits, after it has ended';
    expect(await pg.broken()).toMatchObject([
      { rule, broken: [{ id: String(harness.id), credited: '38805', own: true }] },
    ]);
    await pg.db.query('update deposits set transaction_id = 1 where deposit_id = $1', [deposit.deposit_id]);
    expect(await pg.broken()).toMatchObject([{ rule, broken: [{ own: false }] }]);
  });
});
