import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DepositFacts } from '@vuka/contracts';
import { PermanentEventError } from '@vuka/messaging';
import type { RailAnswer } from '@vuka/payouts';
import { atDepth } from '@vuka/testing';
import fc from 'fast-check';

import { fundRails } from './pay-road.spec-support.js';
import { ScriptedRail } from './payout-road.spec-support.js';
import { RefundRoad } from './refund-road.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from './store/payments-database.spec-support.js';

/** However the events of a refund, of its deposit and the partner's own requests are mixed, what the partner has is what the chain left it. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundRails(pg);
}, 60_000);
afterAll(() => pg.stop());

const MORE_THAN_VANISHES = 40;
const REFUSED: RailAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' };

/** What really happens to one refund outside, and the order in which payments hears of it: places of `heard` by their keys. */
interface World {
  /** Of value that was unapplied, or of a pay that failed. */
  readonly asked: boolean;
  readonly end: 'none' | 'confirmed' | 'failed';
  readonly vanishes: boolean;
  /** Where it was not sent for that: the reason says so. */
  readonly saysWhy: boolean;
  /** offramp's policy would have it in the wallet. */
  readonly credits: boolean;
  readonly order: readonly number[];
  readonly twice: readonly boolean[];
  readonly atOnce: boolean;
}

const world: fc.Arbitrary<World> = fc.record({
  asked: fc.boolean(),
  end: fc.constantFrom('none', 'confirmed', 'failed'),
  vanishes: fc.boolean(),
  saysWhy: fc.boolean(),
  credits: fc.boolean(),
  order: fc.array(fc.nat(1000), { minLength: 8, maxLength: 8 }),
  twice: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  atOnce: fc.boolean(),
});

interface Begun {
  readonly trip: RefundRoad;
  readonly deposit: DepositFacts;
  readonly refundId: number;
}

async function begin({ asked }: World): Promise<Begun> {
  const trip = new RefundRoad(pg, new ScriptedRail([REFUSED]));
  if (!asked) {
    const failed = await trip.failedPay();
    await trip.grants.run();
    return { trip, ...failed };
  }
  const deposit = await trip.underpaid();
  const refundId = await trip.refunded();
  await trip.grants.run();
  return { trip, deposit, refundId };
}

/** What payments may hear. Numbers of offramp's events are of the order in which they happened. */
function heard({ asked, end, vanishes, saysWhy, credits }: World, { trip, deposit, refundId }: Begun): (() => Promise<unknown>)[] {
  const signed = trip.refundEvent('refund.signed', refundId);
  const broadcast = trip.refundEvent('refund.broadcast', refundId);
  const ended = end === 'confirmed' ? trip.refundEvent('refund.confirmed', refundId) : trip.refundEvent('refund.failed', refundId, { reason: vanishes && saysWhy ? 'deposit_reverted' : 'transfer_failed' });
  const reverted = trip.event('deposit.reverted', { deposit });
  const credited = trip.event('deposit.credited', { deposit, currency: 'KES', rate: '129.3517' });
  return [
    () => trip.records.run(signed),
    () => trip.records.run(broadcast),
    ...(end === 'none' ? [] : [() => trip.records.run(ended)]),
    ...(vanishes ? [() => trip.reversals.run(reverted)] : []),
    ...(credits && asked ? [() => trip.credits.run(credited)] : []),
    () => trip.requestRefund(),
  ];
}

/** A dead letter is nothing; who was overtaken three times hands its event back to the wire. */
async function hand(tell: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    try {
      await tell();
      return;
    } catch (error) {
      if (error instanceof PermanentEventError) return;
      if (tries === 4) throw error;
    }
  }
}

/** By value: a whole deposit is worth `worth` in the wallet's currency. */
async function expectConserved({ end, vanishes }: World, { trip, deposit }: Begun): Promise<void> {
  const received = BigInt(deposit.received_minor);
  const worth = (received * 1_293_517n * 100n) / (10_000n * 1_000_000n);
  const { unapplied = 0n, refunding = 0n, wallet = 0n, chain = 0n, owed = 0n } = await trip.money();
  const left = (vanishes ? 0n : 1n) - (end === 'confirmed' ? 1n : 0n);
  expect([chain, (unapplied + refunding) * worth + (wallet + owed) * received]).toEqual([-left * received, left * received * worth]);
}

/** Each step is told once, in its place, and last what the refund has come to. */
async function expectTold({ trip, refundId }: Begun): Promise<void> {
  const rows = await pg.db.query<{ told: string; sequence: number }>(
    `select envelope::jsonb -> 'data' ->> 'told' as told, sequence from outbox where key = $1 and topic = 'payments.transaction.events.v1' order by sequence`, [String(refundId)]);
  expect(new Set(rows.map(({ sequence }) => sequence)).size).toBe(rows.length);
  const { state } = await trip.refundLook(refundId);
  const last = { HELD: 'refund.held', SIGNED: null, BROADCAST: 'refund.sent', CONFIRMED: 'refund.confirmed', FAILED: 'refund.failed' }[state];
  expect(rows[0]?.told).toBe('refund.held');
  if (last !== null) expect(rows.at(-1)?.told).toBe(last);
}

describe('orders of a refund\'s events', () => {
  it('leave the partner what the chain left it, and the ledger at zero', async () => {
    // Deposits that nobody asks back: what was sent back and vanished as well is more than the chain has, where the dice give more of that than of the others.
    for (let others = 0; others < MORE_THAN_VANISHES; others++) await new RefundRoad(pg).underpaid();
    await fc.assert(
      fc.asyncProperty(world, async (of) => {
        const begun = await begin(of);
        const all = heard(of, begun).flatMap((tell, n) => (of.twice[n] ? [tell, tell] : [tell]));
        const order = all.map((tell, n) => [of.order[n % of.order.length]! * (n + 1) % 997, tell] as const).sort(([one], [other]) => one - other);
        if (of.atOnce) await Promise.all(order.map(([, tell]) => hand(tell)));
        else for (const [, tell] of order) await hand(tell);
        // What came too early for its place has been heard by now, and the wire brings all of it at least once more.
        for (const [, tell] of order) await hand(tell);
        await expectConserved(of, begun);
        await expectTold(begun);
      }),
      { numRuns: atDepth({ commit: 50, whole: 150 }) },
    );
    expect(await pg.broken()).toEqual([]);
  }, 180_000);
});
