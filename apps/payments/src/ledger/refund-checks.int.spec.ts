import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { Transaction } from '@vuka/persistence';
import type { ProviderAnswer } from '@vuka/payouts';

import { fundProviders } from '../testing/pay-harness.spec-support.js';
import { AMOUNT, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { RefundHarness } from '../testing/refund-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { checkLedger } from './check-ledger.js';

/** `ledger:check` on a failed pay with a refund that was paid after all. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const REFUSED: ProviderAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' };
const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};

/** `plant` is rolled back. */
async function brokenBy(plant: (tx: Transaction) => Promise<unknown>): Promise<string[]> {
  let found: string[] = [];
  const undo = new Error('undone');
  await pg.admin
    .inTransaction(async (tx) => {
      await plant(tx);
      found = (await checkLedger(tx)).checks.filter(({ broken }) => broken.length > 0).map(({ rule }) => rule);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return found;
}

/** The partner owes it. */
async function paidAfterAll(): Promise<{ readonly trip: RefundHarness; readonly refundId: number }> {
  const trip = new RefundHarness(pg, new ScriptedProvider([REFUSED, PAID]));
  const { refundId } = await trip.failedPay();
  await trip.tellRefund('refund.signed', refundId);
  await trip.attempts.checkAtOnce(trip.id, 1, trip.clock.now());
  await trip.call('watch');
  expect(await trip.posted()).toContain('duplicate_payment');
  return { trip, refundId };
}

describe('ledger:check of what FAILED, was paid, and goes back on chain', () => {
  it('is sound where the partner owes the payment and an incident says so', async () => {
    await paidAfterAll();
    expect(await brokenBy(async () => undefined)).toEqual([]);
  });

  it.each<[string, (tx: Transaction, id: number) => Promise<unknown>]>([
    [
      'nobody owes the payment',
      (tx, id) => tx.query('update duplicate_payment set owed = false where transaction_id = $1', [id]),
    ],
    ['no incident says so', (tx, id) => tx.query('delete from incidents where transaction_id = $1', [id])],
    [
      'its debt is not posted',
      (tx, id) =>
        tx.query(
          `update postings set kind = 'duplicate_payment_ours' where transaction_id = $1 and kind = 'duplicate_payment'`,
          [id],
        ),
    ],
    [
      'it was paid as if nothing had failed',
      (tx, id) =>
        tx.query(
          `update postings set kind = 'payout_settled' where transaction_id = $1 and kind = 'duplicate_payment'`,
          [id],
        ),
    ],
  ])('is a fault where %s', async (_what, plant) => {
    const { trip } = await paidAfterAll();
    expect(
      (await brokenBy((tx) => plant(tx, trip.id))).filter((rule) => rule.startsWith('failed-paid-and-refunding')),
    ).toHaveLength(1);
  });

  it('counts a refund that may be signed, and is not signed yet, among those that live', async () => {
    const trip = new RefundHarness(pg, new ScriptedProvider([REFUSED]));
    const { refundId } = await trip.failedPay();
    const grant = (tx: Transaction): Promise<unknown> =>
      tx.query(`update refunds set state = 'GRANTED' where refund_id = $1`, [refundId]);
    expect(await brokenBy(grant)).toEqual([]);
    const paid = (tx: Transaction): Promise<unknown> =>
      tx.query(`update postings set kind = 'payout_settled' where transaction_id = $1 and kind = 'pay_funded'`, [
        trip.id,
      ]);
    expect(await brokenBy(async (tx) => [await grant(tx), await paid(tx)])).toContainEqual(
      expect.stringContaining('failed-paid-and-refunding'),
    );
  });

  it('takes a FAILED whose deposit funds it only where it is paid for, and nothing of it goes back', async () => {
    const trip = new RefundHarness(pg, new ScriptedProvider([REFUSED]));
    const { deposit, refundId } = await trip.failedPay();
    const funds = (tx: Transaction): Promise<unknown> =>
      tx.query(`update deposits set state = 'funding' where deposit_id = $1`, [deposit.deposit_id]);
    const paid = async (tx: Transaction): Promise<unknown> => [
      await tx.query(`update postings set kind = 'payout_settled' where transaction_id = $1 and kind = 'pay_funded'`, [
        trip.id,
      ]),
      await tx.query('update transactions set paid_attempt_no = 1 where id = $1', [trip.id]),
    ];
    const ended = (tx: Transaction): Promise<unknown> =>
      tx.query(`update refunds set state = 'FAILED', failure = 'payment_paid' where refund_id = $1`, [refundId]);
    const rule = expect.stringContaining('a deposit funds a transaction');
    expect(await brokenBy(funds)).toContainEqual(rule);
    expect(await brokenBy(async (tx) => [await funds(tx), await ended(tx)])).toContainEqual(rule);
    expect(await brokenBy(async (tx) => [await funds(tx), await paid(tx)])).toContainEqual(rule);
    expect(await brokenBy(async (tx) => [await funds(tx), await paid(tx), await ended(tx)])).not.toContainEqual(rule);
  });
});
