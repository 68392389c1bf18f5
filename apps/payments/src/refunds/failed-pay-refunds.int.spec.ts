import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProviderAnswer } from '@vuka/payouts';
import { Cipher } from '@vuka/runtime';

import { PageCursors } from '../lists/page-cursor.js';
import { fundProviders } from '../testing/pay-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { NOT_PAID, PAID } from '../testing/provider-answers.spec-support.js';
import { ADDRESS, owing, RefundHarness, settled } from '../testing/refund-harness.spec-support.js';
import { StatementStore } from '../wallets/statement.store.js';
import { WalletStatement } from '../wallets/wallet-statement.js';

/** Automatic refunds of failed pays. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const harness = (...answers: ProviderAnswer[]): RefundHarness => new RefundHarness(pg, new ScriptedProvider(answers));
const rowOf = (trip: RefundHarness): Promise<string> => trip.refundColumn();

describe('a pay that named an address and failed', () => {
  it('is held and reported in the commit that fails it', async () => {
    const trip = harness(NOT_PAID);
    const { deposit, refundId } = await trip.failedPay();
    expect([await trip.state(), await rowOf(trip), await trip.depositStates()]).toEqual([
      'FAILED',
      'PENDING',
      [[deposit.deposit_id, 'refunding']],
    ]);
    expect(await trip.heldEvents([refundId])).toMatchObject([
      { refund_id: refundId, deposit_id: deposit.deposit_id, amount_minor: '3866000', address: ADDRESS },
    ]);
    expect(await trip.requestRefund()).toMatchObject({ ok: true, value: { refund_id: refundId } });
  });

  it('goes to the wallet by its rate where it could not be sent', async () => {
    const trip = harness(NOT_PAID);
    const { deposit, refundId } = await trip.failedPay();
    await trip.tellRefund('refund.failed', refundId);
    // floor(3.866 × 129.3517 × 100)
    expect([await trip.money(), await trip.depositStates()]).toEqual([
      { unapplied: 0n, refunding: 0n, wallet: 50007n, chain: -3866000n, owed: 0n },
      [[deposit.deposit_id, 'credited']],
    ]);
    const statement = new WalletStatement(
      new StatementStore(pg.db),
      new PageCursors(new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }])),
    );
    const days = { from: '2020-01-01T00:00:00.000Z', before: '2100-01-01T00:00:00.000Z', limit: 10, cursor: null };
    expect(await statement.run({ partner_id: trip.partner, currency: 'KES', ...days })).toMatchObject({
      ok: true,
      value: { entries: [{ kind: 'refund_failed', transaction_code: trip.code, amount: '500.07', balance: '500.07' }] },
    });
    expect(await trip.requestRefund()).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('in the wallet') },
    });
  });

  it.each(['frozen', 'owes'] as const)(
    'goes to the wallet of a partner that is held back by then (%s), where what it owes is taken',
    async (why) => {
      const trip = harness(NOT_PAID);
      const paid = harness(PAID);
      paid.partner = trip.partner;
      await trip.payAccepted({ refund_address: ADDRESS });
      const deposit = trip.facts({ received_minor: '3866000' });
      await trip.verified(deposit);
      await trip.start();
      const [claimed] = await trip.claim('submit');
      await owing(paid);
      if (why === 'owes') await settled(pg, paid);
      await trip.caller.run('submit', claimed!);
      expect([await trip.state(), await rowOf(trip), await trip.depositStates(), await trip.posted()]).toEqual([
        'FAILED',
        '',
        [[deposit.deposit_id, 'credited']],
        ['deposit_received', 'pay_funded', 'payout_released'],
      ]);
      expect(await trip.money()).toEqual({
        unapplied: 0n,
        refunding: 0n,
        wallet: 50014n,
        chain: -3866000n,
        owed: -50007n,
      });
      await trip.collect();
      expect(await trip.money()).toMatchObject({ wallet: 7n, owed: 0n });
    },
  );

  it.each([
    ['99999', 'credited', ['deposit_received', 'pay_funded', 'payout_released']],
    ['100000', 'refunding', ['deposit_received', 'pay_funded', 'refund_held']],
  ] as const)('of %s, where 100000 are worth a transfer, is %s', async (received_minor, state, posted) => {
    const trip = await harness(NOT_PAID).payAccepted({ amount_minor: '1200', refund_address: ADDRESS });
    await trip.verified(trip.facts({ received_minor }));
    await trip.start();
    await trip.call('submit');
    expect([(await trip.depositStates())[0]?.[1], await trip.posted()]).toEqual([state, posted]);
  });
});
