import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { fundProviders } from '../testing/pay-harness.spec-support.js';
import { ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { RefundHarness } from '../testing/refund-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { DepositRecords } from './deposit-records.js';

let pg: PaymentsDatabase;
beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

describe('deposits as the ledger tells them', () => {
  it('come by id in pages; a request by id also shows those that vanished before they arrived', async () => {
    const harness = (): RefundHarness => new RefundHarness(pg, new ScriptedProvider([]));
    const [one, other, gone] = [harness(), harness(), harness()];
    const first = await one.underpaid();
    const second = await other.underpaid();
    await other.refunded();
    await gone.payAccepted();
    const vanished = gone.facts();
    await gone.reverted(vanished);
    const records = new DepositRecords(pg.db);
    const pages = [
      await records.after(0, 1),
      await records.after(first.deposit_id, 1),
      await records.after(second.deposit_id, 1),
    ];
    expect(pages.map((page) => page.map(({ depositId, state }) => [depositId, state]))).toEqual([
      [[first.deposit_id, 'unapplied']],
      [[second.deposit_id, 'refunding']],
      [],
    ]);
    expect(pages[0]?.[0]).toEqual({
      depositId: first.deposit_id,
      partnerId: one.partner,
      chain: 'CELO',
      received: { minor: 1_000_000n, currency: 'USDC@CELO' },
      state: 'unapplied',
      changedAt: expect.any(Date),
    });
    const named = await records.named([first.deposit_id, vanished.deposit_id, 1_000_000_000]);
    expect(named.map(({ depositId, state }) => [depositId, state])).toEqual([
      [first.deposit_id, 'unapplied'],
      [vanished.deposit_id, 'vanished'],
    ]);
  });
});
