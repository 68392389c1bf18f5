import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DepositFacts } from '@vuka/contracts';

import { MoneyTroubleReader } from '../admin/readers/money-trouble-reader.js';
import { ResolveIncident } from '../admin/resolve-incident.js';
import { completeOrder, OrderHarness } from '../testing/order-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

describe('a deposit of an order that vanishes while its rest', () => {
  async function refunding(): Promise<{
    readonly harness: OrderHarness;
    readonly more: DepositFacts;
    readonly refundId: number;
  }> {
    const { harness, more } = await completeOrder(pg);
    return { harness, more, refundId: await harness.refunded({ transaction_hash: more.transaction_hash }) };
  }

  it('is held to be sent back: what was credited is owed, the refund fails', async () => {
    const { harness, more, refundId } = await refunding();
    await harness.hear(harness.revertedEvent(more));
    expect(await harness.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 517_41n,
      chain: -3_000_000n,
      owed: -129_36n,
    });
    expect(await harness.refundCheck(refundId)).toMatchObject({ state: 'FAILED', failure: 'deposit_reverted' });
    expect([await harness.openIncidents(), await harness.frozen.why(harness.partner)]).toEqual([
      [['deposit.reverted', 1]],
      'vanished',
    ]);
  });

  it.each([
    ['before', 0],
    ['after', 1],
  ])('fails to be sent for that reason, told %s the reversal itself: the same', async (_, at) => {
    const { harness, more, refundId } = await refunding();
    const told = [
      () => harness.tellRefund('refund.failed', refundId, { reason: 'deposit_reverted' }),
      () => harness.hear(harness.revertedEvent(more)),
    ];
    for (const tell of at === 0 ? told : told.reverse()) await tell();
    expect(await harness.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 517_41n,
      chain: -3_000_000n,
      owed: -129_36n,
    });
    expect([await harness.openIncidents(), await harness.frozen.why(harness.partner)]).toEqual([
      [['deposit.reverted', 1]],
      'vanished',
    ]);
  });

  it('is signed: all of it is owed, and where it is not sent after all, only what was credited', async () => {
    const { harness, more, refundId } = await refunding();
    await harness.tellRefund('refund.signed', refundId);
    await harness.hear(harness.revertedEvent(more));
    expect(await harness.money()).toEqual({
      unapplied: 0n,
      refunding: 1_000_000n,
      wallet: 517_41n,
      chain: -3_000_000n,
      owed: -(129_36n + 129_35n),
    });
    await harness.tellRefund('refund.failed', refundId);
    expect(await harness.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 517_41n + 129_35n,
      chain: -3_000_000n,
      owed: -(129_36n + 129_35n),
    });
  });

  it('is signed after the reversal had taken it: as if the reversal had come later', async () => {
    const { harness, more, refundId } = await refunding();
    await harness.hear(harness.revertedEvent(more));
    await harness.tellRefund('refund.confirmed', refundId);
    // It left twice: reverted, and sent by us.
    expect(await harness.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 517_41n,
      chain: -2_000_000n,
      owed: -(129_36n + 129_35n),
    });
  });

  it('of an order that failed was sent back: it is owed, the partner is frozen, and a resolved incident lifts it', async () => {
    const harness = new OrderHarness(pg);
    const deposit = harness.transfer(3_000_000n);
    await harness.hearAll(harness.confirmedEvent(deposit), harness.leftEvent(deposit));
    await harness.tellRefund('refund.signed', await harness.refunded({ transaction_hash: deposit.transaction_hash }));
    await harness.hear(harness.revertedEvent(deposit));
    expect([await harness.debt(), await harness.frozen.why(harness.partner)]).toEqual([388_05n, 'vanished']);
    const troubles = new MoneyTroubleReader(pg.db);
    const [incident] = (await troubles.openIncidents(100)).filter(
      ({ partner_id: partner }) => partner === harness.partner,
    );
    expect(incident).toMatchObject({ transaction_id: harness.id, transaction_code: `order ${harness.id}` });
    expect(await troubles.frozen(100)).toContainEqual(expect.objectContaining({ partner_id: harness.partner }));
    expect(await troubles.debts(100)).toContainEqual(
      expect.objectContaining({ partner_id: harness.partner, transaction_codes: [`order ${harness.id}`] }),
    );
    await new ResolveIncident(pg.db, harness.clock).run(incident?.id ?? 0, 'ada', 'paid by bank');
    harness.clock.advance(2_000);
    expect(await harness.frozen.why(harness.partner)).toBeNull();
  });
});
