import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { NOW, RefundFixture } from '../transfers/refund-fixture.spec-support.js';
import { DepositRecords } from './deposit-records.js';

let fixture: RefundFixture;
beforeAll(async () => {
  fixture = await RefundFixture.open();
  await fixture.reset();
}, 60_000);
afterAll(() => fixture.close());

describe('deposits as offramp tells them', () => {
  it('come by id, page by page, with those that their chain took back, and change when their refund does', async () => {
    const records = new DepositRecords(fixture.db);
    const ids: number[] = [];
    for (const [n, state] of ['unapplied', 'consumed', 'credited', 'unapplied', 'consumed'].entries())
      ids.push(await fixture.deposit(n + 1, state));
    await fixture.vanish(ids[1] ?? 0);
    fixture.clock.advance(60_000);
    await fixture.intake().run(fixture.heldEvent(9, ids[3] ?? 0));
    const pages = [await records.after(0, 2), await records.after(ids[1] ?? 0, 2), await records.after(ids[3] ?? 0, 2)];
    expect(pages.map((page) => page.map(({ depositId, state }) => [depositId, state]))).toEqual([
      [
        [ids[0], 'unapplied'],
        [ids[1], 'reverted'],
      ],
      [
        [ids[2], 'credited'],
        [ids[3], 'refunding'],
      ],
      [[ids[4], 'consumed']],
    ]);
    expect(pages[0]?.[0]).toEqual({
      depositId: ids[0],
      partnerId: 1,
      chain: 'CELO',
      received: { minor: 12_500_000n, currency: 'USDC@CELO' },
      state: 'unapplied',
      changedAt: NOW,
    });
    const named = await records.named([...ids.slice(1, 4), 1_000_000]);
    expect(named.map(({ depositId, changedAt }) => [depositId, changedAt.getTime() - NOW.getTime()])).toEqual([
      [ids[1], 0],
      [ids[2], 0],
      [ids[3], 60_000],
    ]);
  });
});
