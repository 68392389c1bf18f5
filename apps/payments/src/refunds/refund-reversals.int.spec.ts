import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { fundProviders } from '../testing/pay-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { RefundHarness } from '../testing/refund-harness.spec-support.js';

/** Reversals before, during and after a refund. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
  const whale = harness();
  await whale.underpaid(whale.facts({ received_minor: MORE_THAN_VANISHES }));
}, 60_000);
afterAll(() => pg.stopWhole());

const R = 1_000_000n;
/** A refund that also vanished is more than the chain has; these cover it. */
const MORE_THAN_VANISHES = '1000000000';

const harness = (): RefundHarness => new RefundHarness(pg, new ScriptedProvider([]));

describe("a reversal and the refund's own events", () => {
  const FINAL = {
    confirmed: { unapplied: 0n, refunding: 0n, wallet: 0n, chain: R, owed: -12935n },
    failed: { unapplied: 0n, refunding: 0n, wallet: 12935n, chain: 0n, owed: -12935n },
  };
  const ORDERS = {
    'after it was signed': ['refund.signed', 'reverted'],
    'before it was signed': ['reverted', 'refund.signed'],
    'after it was broadcast': ['refund.signed', 'refund.broadcast', 'reverted'],
    'before it was broadcast': ['reverted', 'refund.broadcast'],
  } as const;

  it.each(
    Object.entries(ORDERS).flatMap(([when, steps]) =>
      (['confirmed', 'failed'] as const).map((end) => [when, end, steps] as const),
    ),
  )('%s, then %s: end with the same money, and an incident that freezes', async (_, end, steps) => {
    const trip = harness();
    const deposit = await trip.underpaid();
    const refundId = await trip.refunded();
    for (const step of [...steps, `refund.${end}` as const]) {
      if (step === 'reverted') await trip.reverted(deposit);
      else await trip.tellRefund(step, refundId);
    }
    expect([await trip.money(), await trip.depositStates(), await trip.openIncidents()]).toEqual([
      FINAL[end],
      [[deposit.deposit_id, 'reverted']],
      [['deposit.reverted', 1]],
    ]);
  });

  it('while it waits for a signature end it, and nobody owes', async () => {
    const trip = harness();
    const deposit = await trip.underpaid();
    const refundId = await trip.refunded();
    await trip.reverted(deposit);
    await trip.tellRefund('refund.failed', refundId, { reason: 'deposit_reverted' });
    expect([await trip.money(), await trip.refundCheck(refundId), await trip.openIncidents()]).toEqual([
      { unapplied: 0n, refunding: 0n, wallet: 0n, chain: 0n, owed: 0n },
      { state: 'FAILED', failure: 'deposit_reverted', transaction_hash: null },
      [],
    ]);
  });

  // offramp keeps an exported one until its outcome is known; payments hears that once, on another topic.
  const NOTHING = { unapplied: 0n, refunding: 0n, wallet: 0n, chain: 0n, owed: 0n };
  it.each([
    [
      'was sent by hand, told after the reversal',
      ['reverted', 'refund.confirmed'],
      FINAL.confirmed,
      ['deposit.reverted', 1],
    ],
    ['was sent by hand, told before it', ['refund.confirmed', 'reverted'], FINAL.confirmed, ['deposit.reverted', 1]],
    ['was given up and never sent, told after the reversal', ['reverted', 'cancelled'], NOTHING, null],
    ['was given up and never sent, told before it', ['cancelled', 'reverted'], NOTHING, null],
  ] as const)('of what was exported and %s: end with the same money', async (_, steps, money, incident) => {
    const trip = harness();
    const deposit = await trip.underpaid();
    const refundId = await trip.refunded();
    for (const step of steps) {
      if (step === 'reverted') await trip.reverted(deposit);
      else if (step === 'cancelled') await trip.tellRefund('refund.failed', refundId, { reason: 'cancelled' });
      else await trip.tellRefund(step, refundId);
    }
    expect([await trip.money(), await trip.depositStates(), await trip.openIncidents()]).toEqual([
      money,
      [[deposit.deposit_id, 'reverted']],
      incident === null ? [] : [incident],
    ]);
  });

  it('told by the refund first are the same', async () => {
    const trip = harness();
    const deposit = await trip.underpaid();
    const refundId = await trip.refunded();
    await trip.tellRefund('refund.failed', refundId, { reason: 'deposit_reverted' });
    await trip.reverted(deposit);
    expect([await trip.money(), await trip.depositStates(), await trip.openIncidents()]).toEqual([
      { unapplied: 0n, refunding: 0n, wallet: 0n, chain: 0n, owed: 0n },
      [[deposit.deposit_id, 'reverted']],
      [],
    ]);
  });
});
