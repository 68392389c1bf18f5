import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DepositFacts } from '@vuka/contracts';

import { MoneyTroubleReader } from '../admin/readers/money-trouble-reader.js';
import { ResolveIncident } from '../admin/resolve-incident.js';
import { completeOrder, OrderRoad } from '../testing/order-road.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

describe('a deposit of an order that vanishes while its rest', () => {
  async function refunding(): Promise<{
    readonly road: OrderRoad;
    readonly more: DepositFacts;
    readonly refundId: number;
  }> {
    const { road, more } = await completeOrder(pg);
    return { road, more, refundId: await road.refunded({ transaction_hash: more.transaction_hash }) };
  }

  it('is held to be sent back: what was credited is owed, the refund fails', async () => {
    const { road, more, refundId } = await refunding();
    await road.hear(road.revertedEvent(more));
    expect(await road.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 517_41n,
      chain: -3_000_000n,
      owed: -129_36n,
    });
    expect(await road.refundLook(refundId)).toMatchObject({ state: 'FAILED', failure: 'deposit_reverted' });
    expect([await road.openIncidents(), await road.frozen.why(road.partner)]).toEqual([
      [['deposit.reverted', 1]],
      'vanished',
    ]);
  });

  it.each([
    ['before', 0],
    ['after', 1],
  ])('fails to be sent for that reason, told %s the reversal itself: the same', async (_, at) => {
    const { road, more, refundId } = await refunding();
    const told = [
      () => road.tellRefund('refund.failed', refundId, { reason: 'deposit_reverted' }),
      () => road.hear(road.revertedEvent(more)),
    ];
    for (const tell of at === 0 ? told : told.reverse()) await tell();
    expect(await road.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 517_41n,
      chain: -3_000_000n,
      owed: -129_36n,
    });
    expect([await road.openIncidents(), await road.frozen.why(road.partner)]).toEqual([
      [['deposit.reverted', 1]],
      'vanished',
    ]);
  });

  it('is signed: all of it is owed, and where it is not sent after all, only what was credited', async () => {
    const { road, more, refundId } = await refunding();
    await road.tellRefund('refund.signed', refundId);
    await road.hear(road.revertedEvent(more));
    expect(await road.money()).toEqual({
      unapplied: 0n,
      refunding: 1_000_000n,
      wallet: 517_41n,
      chain: -3_000_000n,
      owed: -(129_36n + 129_35n),
    });
    await road.tellRefund('refund.failed', refundId);
    expect(await road.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 517_41n + 129_35n,
      chain: -3_000_000n,
      owed: -(129_36n + 129_35n),
    });
  });

  it('is signed after the reversal had taken it: as if the reversal had come later', async () => {
    const { road, more, refundId } = await refunding();
    await road.hear(road.revertedEvent(more));
    await road.tellRefund('refund.confirmed', refundId);
    // It left the chain twice: the chain took it, and we sent it.
    expect(await road.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 517_41n,
      chain: -2_000_000n,
      owed: -(129_36n + 129_35n),
    });
  });

  it('of an order that failed was sent back: it is owed, the partner is frozen, and a resolved incident lifts it', async () => {
    const road = new OrderRoad(pg);
    const deposit = road.transfer(3_000_000n);
    await road.hearAll(road.confirmedEvent(deposit), road.leftEvent(deposit));
    await road.tellRefund('refund.signed', await road.refunded({ transaction_hash: deposit.transaction_hash }));
    await road.hear(road.revertedEvent(deposit));
    expect([await road.debt(), await road.frozen.why(road.partner)]).toEqual([388_05n, 'vanished']);
    const troubles = new MoneyTroubleReader(pg.db);
    const [incident] = (await troubles.openIncidents(100)).filter(
      ({ partner_id: partner }) => partner === road.partner,
    );
    expect(incident).toMatchObject({ transaction_id: road.id, transaction_code: `order ${road.id}` });
    expect(await troubles.frozen(100)).toContainEqual(expect.objectContaining({ partner_id: road.partner }));
    expect(await troubles.debts(100)).toContainEqual(
      expect.objectContaining({ partner_id: road.partner, transaction_codes: [`order ${road.id}`] }),
    );
    await new ResolveIncident(pg.db, road.clock).run(incident?.id ?? 0, 'ada', 'paid by bank');
    road.clock.advance(2_000);
    expect(await road.frozen.why(road.partner)).toBeNull();
  });
});
