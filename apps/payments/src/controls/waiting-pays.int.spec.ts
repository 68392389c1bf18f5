import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { PayHarness } from '../testing/pay-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { PendingPayLimit } from './waiting-pays.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stop());

describe('a partner whose pays wait for their deposits', () => {
  it('is refused one pay more than the limit, but no repeat of an accepted one; other partners are not affected', async () => {
    const [first, second, third] = [new PayHarness(pg), new PayHarness(pg), new PayHarness(pg)];
    for (const harness of [second, third]) harness.partner = first.partner;
    const gate = new PendingPayLimit(pg.db, first.store, { mostWaitingPays: 2 });
    await first.payAccepted();
    expect(await gate.run(first.partner, second.code)).toBeNull();
    await (await second.payAccepted()).seen();
    expect([await first.state(), await second.state()]).toEqual(['AWAITING_FUNDS', 'CONFIRMING']);
    expect(await gate.run(first.partner, third.code)).toEqual({
      ok: false,
      error: {
        code: 'rate_limited',
        message: expect.stringMatching(/^2 payments of this account wait/),
        retryAfterS: 60,
      },
    });
    expect(await gate.run(first.partner, first.code)).toBeNull();
    expect(await gate.run(first.partner + 1_000_000, third.code)).toBeNull();
  });

  it('may send again as soon as one of them has ended, or is paid for', async () => {
    const [first, second] = [new PayHarness(pg), new PayHarness(pg)];
    second.partner = first.partner;
    const gate = new PendingPayLimit(pg.db, first.store, { mostWaitingPays: 1 });
    await first.payAccepted();
    expect(await gate.run(first.partner, 'another')).not.toBeNull();
    await first.unusable('no_matching_transfer', true);
    expect(await gate.run(first.partner, 'another')).toBeNull();
    await second.payAccepted();
    expect(await gate.run(first.partner, 'another')).not.toBeNull();
    await second.verified(second.facts());
    expect(await gate.run(first.partner, 'another')).toBeNull();
  });

  it('is counted by an index of those that wait', async () => {
    const rows = await pg.db.query<{ 'QUERY PLAN': string }>(
      `explain select 1 from transactions where partner_id = 1 and state in ('AWAITING_FUNDS', 'CONFIRMING') limit 1000`,
    );
    const plan = await pg.db.inTransaction(async (tx) => {
      await tx.query('set local enable_seqscan = off');
      return tx.query<{ 'QUERY PLAN': string }>(
        `explain select 1 from transactions where partner_id = 1 and state in ('AWAITING_FUNDS', 'CONFIRMING') limit 1000`,
      );
    });
    expect([...rows, ...plan].some((row) => row['QUERY PLAN'].includes('transactions_waiting_idx'))).toBe(true);
  });
});
