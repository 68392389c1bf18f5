import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { fundProviders } from '../testing/pay-harness.spec-support.js';
import { ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { RefundHarness } from '../testing/refund-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { chainAccounts } from './chain-accounts.js';

let pg: PaymentsDatabase;
beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

describe('the ledger of chains', () => {
  it('has incoming minus outgoing value, and says which deposits and refunds it includes', async () => {
    const harnesses = [1, 2, 3, 4].map(() => new RefundHarness(pg, new ScriptedProvider([]))) as [
      RefundHarness,
      RefundHarness,
      RefundHarness,
      RefundHarness,
    ];
    const [stays, back, gone, late] = harnesses;
    const deposits = await Promise.all(harnesses.map((harness) => harness.underpaid()));
    const ids = deposits.map(({ deposit_id }) => deposit_id);
    const [, , vanished] = deposits;
    const [confirmed, failed] = [await back.refunded(), await late.refunded()];
    for (const event of ['refund.signed', 'refund.confirmed'] as const) await back.tellRefund(event, confirmed);
    await gone.reverted(vanished!);
    // Failed and given back, but final later (refund_settled_owed).
    await late.tellRefund('refund.failed', failed);
    await late.tellRefund('refund.confirmed', failed);
    const view = await chainAccounts(pg.db, {
      deposits: [...ids, 1_000_000_000],
      refunds: [confirmed, failed, 1_000_000_000],
    });
    // Of 1,000,000 each: four in, one reverted, two out.
    expect(view.accounts).toEqual([{ chain: 'CELO', asset: 'USDC@CELO', held_minor: 1_000_000n }]);
    expect([[...view.deposits].sort(), [...view.refunds].sort()]).toEqual([
      ids.filter((id) => id !== vanished!.deposit_id).sort(),
      [confirmed, failed].sort(),
    ]);
    expect(await stays.depositStates()).toHaveLength(1);
  });
});
