import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { fundRails } from '../testing/pay-road.spec-support.js';
import { ScriptedRail } from '../testing/payout-road.spec-support.js';
import { RefundRoad } from '../testing/refund-road.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { DepositRecords } from './deposit-records.js';

let pg: PaymentsDatabase;
beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundRails(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

describe('deposits as the ledger tells them', () => {
  it('come by id, page by page, and where they are asked for by name with those that vanished before they came', async () => {
    const road = (): RefundRoad => new RefundRoad(pg, new ScriptedRail([]));
    const [one, other, gone] = [road(), road(), road()];
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
    expect(pages.map((page) => page.map(({ deposit_id, state }) => [deposit_id, state]))).toEqual([
      [[first.deposit_id, 'unapplied']],
      [[second.deposit_id, 'refunding']],
      [],
    ]);
    expect(pages[0]?.[0]).toEqual({
      deposit_id: first.deposit_id,
      partner_id: one.partner,
      chain: 'CELO',
      asset: 'USDC@CELO',
      received_minor: '1000000',
      state: 'unapplied',
      changed_at: expect.any(Date),
    });
    const named = await records.named([first.deposit_id, vanished.deposit_id, 1_000_000_000]);
    expect(named.map(({ deposit_id, state }) => [deposit_id, state])).toEqual([
      [first.deposit_id, 'unapplied'],
      [vanished.deposit_id, 'vanished'],
    ]);
  });
});
