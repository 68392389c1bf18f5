import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { DepositFacts } from '@vuka/contracts';
import type { ProviderAnswer } from '@vuka/payouts';

import { DepositStore } from '../value/deposit.store.js';
import { OrderHarness } from '../testing/order-harness.spec-support.js';
import { fundProviders, PayHarness } from '../testing/pay-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { AMOUNT, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { RecordReversal } from './record-reversal.js';
import { RecordVerdict } from './record-verdict.js';

/**
 * `deposit.verified` and `deposit.reverted` in either order, in two processes that may die between commits. No
 * payout starts on a vanished deposit.
 */
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

const harness = async (): Promise<PayHarness> => new PayHarness(pg, new ScriptedProvider([PAID])).payAccepted();

/** After the earlier commit. */
const DIES = { takeBackAmong: () => Promise.reject(new Error('died between two commits')) };

/** Dies after it funded the payout. */
async function verifiedByOneThatDies(trip: PayHarness, deposit: DepositFacts): Promise<void> {
  const verdicts = trip.partsWith([RecordReversal, DIES]).get(RecordVerdict);
  const event = trip.event('deposit.verified', {
    deposit,
    also: [],
    rate: '129.3517',
    quote_passed_over: null,
    screening_hit: false,
  });
  await expect(verdicts.run(event)).rejects.toThrow('died');
  expect(await trip.state()).toBe('QUEUED');
}

/** Dies after it recorded the reversal. */
async function revertedByOneThatDies(trip: PayHarness, deposit: DepositFacts): Promise<void> {
  const deposits = {
    byId: (id: number) => trip.deposits.byId(id),
    vanished: (ids: readonly number[]) => trip.deposits.vanished(ids),
    rememberVanished: async (vanished: Parameters<PayHarness['deposits']['rememberVanished']>[0]) => {
      await trip.deposits.rememberVanished(vanished);
      throw new Error('died between two commits');
    },
  };
  const reversals = trip.partsWith([DepositStore, deposits]).get(RecordReversal);
  await expect(reversals.run(trip.event('deposit.reverted', { deposit }))).rejects.toThrow('died');
}

/** FAILED without payment or debt, and the value is gone. */
async function expectNothingPaid(trip: PayHarness, deposit: DepositFacts): Promise<void> {
  expect([await trip.state(), trip.provider?.submitted.length, await attemptsOf(trip)]).toEqual(['FAILED', 0, 0]);
  expect([
    await trip.held(),
    await trip.on('wallet', 'KES'),
    await trip.debt(),
    await trip.flow('fx:KES'),
    await trip.flow('chain:CELO:USDC@CELO'),
  ]).toEqual([0n, 0n, 0n, 0n, 0n]);
  expect(await trip.depositStates()).toEqual([[deposit.deposit_id, 'reverted']]);
  expect(await trip.row()).toMatchObject({ status: 'FAILED', failure_code: 'deposit_reverted' });
  expect(await trip.told()).toEqual([
    ['transaction.processing', 1, 'PROCESSING'],
    ['transaction.failed', 2, 'FAILED'],
  ]);
}

async function attemptsOf({ id }: PayHarness): Promise<number> {
  return (await pg.db.query('select 1 from attempts where transaction_id = $1', [id])).length;
}

async function startsAndCalls(trip: PayHarness): Promise<void> {
  for (let tick = 0; tick < 3; tick += 1) {
    await trip.start();
    await trip.call('submit');
    trip.clock.advance(10_000);
  }
}

describe('no payout starts on a vanished deposit', () => {
  it('when the reversal comes first, and the process that funds it dies before it reverts it', async () => {
    const trip = await harness();
    const deposit = trip.facts();
    await trip.reverted(deposit);
    await verifiedByOneThatDies(trip, deposit);
    await startsAndCalls(trip);
    await expectNothingPaid(trip, deposit);
  });

  it('when the verdict comes first, and the process that gets the reversal dies before it reverts it', async () => {
    const trip = await harness();
    const deposit = trip.facts();
    await trip.verified(deposit);
    await revertedByOneThatDies(trip, deposit);
    await startsAndCalls(trip);
    await expectNothingPaid(trip, deposit);
  });

  it('where both die, and both events come again afterwards, in either order', async () => {
    for (const again of [
      ['verified', 'reverted'],
      ['reverted', 'verified'],
    ] as const) {
      const trip = await harness();
      const deposit = trip.facts();
      await revertedByOneThatDies(trip, deposit);
      await verifiedByOneThatDies(trip, deposit);
      await startsAndCalls(trip);
      await expectNothingPaid(trip, deposit);
      for (const word of again) await (word === 'verified' ? trip.verified(deposit) : trip.reverted(deposit));
      await expectNothingPaid(trip, deposit);
    }
  });

  it('whose word comes between what a start has read and its commit: by its lock the commit is not made', async () => {
    const trip = await harness();
    const deposit = trip.facts();
    await trip.verified(deposit);
    const before = trip.starterBy({
      why: async () => {
        await revertedByOneThatDies(trip, deposit);
        return null;
      },
      whyNow: () => Promise.resolve(null),
    });
    // The reversal comes between the start's decision and its commit.
    await trip.start(before);
    await startsAndCalls(trip);
    await expectNothingPaid(trip, deposit);
  });

  it('and a batch that such a start is in commits all others', async () => {
    const [trip, ...others] = [await harness(), await harness(), await harness()];
    const deposit = trip.facts();
    for (const one of [trip, ...others]) await one.verified(one === trip ? deposit : one.facts());
    const mine = await trip.store.byId(trip.id);
    await revertedByOneThatDies(trip, deposit);
    // As read before the reversal: both go into one batch.
    const stale = { ...mine!, deposit: { ...mine!.deposit!, vanished: false } };
    trip.clock.advance(10_000);
    const snapshots = await Promise.all(others.map((one) => one.store.byId(one.id)));
    await Promise.all([trip.starter.run(stale), ...snapshots.map((snapshot) => trip.starter.run(snapshot!))]);
    for (const one of others) expect(await one.state()).toBe('SUBMITTING');
    await startsAndCalls(trip);
    await expectNothingPaid(trip, deposit);
  });

  it('and what has been paid before the word came is owed, as ever', async () => {
    const trip = await harness();
    const deposit = trip.facts();
    await trip.verified(deposit);
    await trip.start();
    const [claimed] = await trip.claim('submit');
    await revertedByOneThatDies(trip, deposit);
    await trip.caller.run('submit', claimed!);
    expect([await trip.state(), await trip.debt()]).toEqual(['COMPLETE', 0n]);
    await trip.reverted(deposit);
    trip.clock.advance(1_000);
    expect([await trip.state(), await trip.debt(), await trip.frozen.why(trip.partner)]).toEqual([
      'COMPLETE',
      517_40n,
      'vanished',
    ]);
  });

  it('while both are handled at once beside starts, on two processes: it is paid and owed, or neither', async () => {
    const db = await pg.connect();
    for (let time = 0; time < 12; time += 1) {
      const trip = await harness();
      const other = new PayHarness({ ...pg, db }, ...trip.providers);
      [other.id, other.partner] = [trip.id, trip.partner];
      const deposit = trip.facts();
      const reverted = trip.event('deposit.reverted', { deposit });
      await Promise.all([
        trip.verified(deposit).then(() => trip.start()),
        other.reversals.run(reverted),
        other.start(),
        other.start(),
      ]);
      await startsAndCalls(trip);
      await trip.reversals.run(reverted);
      const isPaid = trip.provider?.submitted.length === 1;
      expect([await trip.state(), await trip.debt(), await trip.depositStates()]).toEqual([
        isPaid ? 'COMPLETE' : 'FAILED',
        isPaid ? 517_40n : 0n,
        [[deposit.deposit_id, 'reverted']],
      ]);
    }
  });
});

describe('an order that is credited for a deposit which is known to be gone', () => {
  /** The state after one commit. */
  async function expectOwedAtOnce(order: OrderHarness): Promise<void> {
    expect([await order.state(), await order.wallet(), await order.debt(), await order.on('unapplied')]).toEqual([
      'COMPLETE',
      388_05n,
      388_05n,
      0n,
    ]);
    order.clock.advance(1_000);
    expect([await order.frozen.why(order.partner), await order.openIncidents()]).toEqual([
      'vanished',
      [['deposit.reverted', 1]],
    ]);
  }

  it('owes it from the commit that credits it, also where the process dies after that', async () => {
    const order = new OrderHarness(pg);
    const deposit = order.transfer(3_000_000n);
    const settled = order.settledEvent([{ deposit, used: 2_999_999n, credited: 388_05n }]);
    await order.hear(order.revertedEvent(deposit));
    order.diesNext('after');
    await expect(order.hear(settled)).rejects.toThrow('died');
    await expectOwedAtOnce(order);
    await order.hearAll(settled, order.confirmedEvent(deposit), settled);
    await expectOwedAtOnce(order);
    expect(await order.money()).toEqual({ unapplied: 0n, refunding: 0n, wallet: 388_05n, chain: 0n, owed: -388_05n });
    await order.collect();
    expect([await order.wallet(), await order.debt()]).toEqual([0n, 0n]);
  });

  it('and that is in the ledger, because the process that let it in died before it took it back', async () => {
    const order = new OrderHarness(pg);
    const deposit = order.transfer(3_000_000n);
    const settled = order.settledEvent([{ deposit, used: 3_000_000n, credited: 388_05n }]);
    await order.hear(order.revertedEvent(deposit));
    order.diesNext('after');
    await expect(order.hear(order.confirmedEvent(deposit))).rejects.toThrow('died');
    expect(await order.on('unapplied')).toBe(3_000_000n);
    // It dies after taking it back, and after crediting the order.
    for (let deaths = 0; deaths < 2; deaths += 1) {
      order.diesNext('after');
      await expect(order.hear(settled)).rejects.toThrow('died');
      expect(await order.on('wallet', 'KES')).toBe(await order.debt());
    }
    await expectOwedAtOnce(order);
    await order.hear(settled);
    await expectOwedAtOnce(order);
  });
});
