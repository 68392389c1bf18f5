import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { OrderHarness } from '../testing/order-harness.spec-support.js';
import { nextHash } from '../testing/pay-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { ADDRESS, OTHER_ADDRESS, RefundHarness } from '../testing/refund-harness.spec-support.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

describe('a transfer that paid several', () => {
  /** One transfer of an exchange for two payers, each with an order of one partner. */
  async function batch() {
    const [a, b] = [new OrderHarness(pg), new OrderHarness(pg)];
    b.partner = a.partner;
    [a.orderId, b.orderId] = ['a', 'b'];
    const ofA = a.transfer(3_000_000n);
    const ofB = b.facts({ received_minor: '2000000', transaction_hash: ofA.transaction_hash });
    await a.hear(a.confirmedEvent(ofA));
    await b.hear(b.confirmedEvent(ofB));
    const asked = (more: Parameters<OrderHarness['requestRefund']>[0] = {}) =>
      a.requestRefund({ transaction_hash: ofA.transaction_hash, ...more });
    return { a, b, ofA, ofB, asked };
  }
  const WHICH = 'The order_id field is required: this transfer brought value for several of your orders';

  it('sends nothing back before it is said for which order, and then only what came for that', async () => {
    const { a, b, ofA, ofB, asked } = await batch();
    await a.hear(a.leftEvent(ofA));
    await b.hear(b.leftEvent(ofB));
    const message = `${WHICH} (a, b)`;
    expect(await asked()).toEqual({
      ok: false,
      error: { code: 'invalid_request', message, faults: [{ detail: message, pointer: '/order_id' }] },
    });
    expect(await asked({ order_id: 'c' })).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(await asked({ reference: 'a' })).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(await a.money()).toMatchObject({ unapplied: 5_000_000n, refunding: 0n });

    expect(await asked({ order_id: 'b', refund_address: OTHER_ADDRESS })).toMatchObject({
      ok: true,
      value: { amount_minor: '2000000', address: OTHER_ADDRESS },
    });
    expect(await a.money()).toMatchObject({ unapplied: 3_000_000n, refunding: 2_000_000n });
    // Even if only one waits: the question may mean the other.
    expect(await asked()).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    expect(await asked({ order_id: 'b', refund_address: OTHER_ADDRESS })).toMatchObject({
      ok: true,
      value: { amount_minor: '2000000' },
    });
    expect(await asked({ order_id: 'a' })).toMatchObject({
      ok: true,
      value: { amount_minor: '3000000', address: ADDRESS },
    });
    expect(await a.money()).toMatchObject({ unapplied: 0n, refunding: 5_000_000n });
  });

  it("does not send back what one has left while another has not ended, as if it were that one's", async () => {
    const { a, ofA, asked } = await batch();
    await a.hear(a.leftEvent(ofA));
    expect(await asked()).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', message: `${WHICH} (a, one that has not ended)` },
    });
    expect(await asked({ order_id: 'a' })).toMatchObject({ ok: true, value: { amount_minor: '3000000' } });
    // The transfer alone is enough to ask about the refund under way.
    expect(await asked()).toMatchObject({ ok: true, value: { amount_minor: '3000000' } });
    expect(await a.money()).toMatchObject({ unapplied: 2_000_000n, refunding: 3_000_000n });
  });

  it('is of one where the other used all of its own', async () => {
    const { a, b, ofA, ofB, asked } = await batch();
    await a.hear(a.settledEvent([{ deposit: ofA, used: 3_000_000n, credited: 388_05n }]));
    await b.hear(b.leftEvent(ofB));
    expect(await asked()).toMatchObject({ ok: true, value: { amount_minor: '2000000' } });
  });

  it("is a payment of the partner's own and an order: either is named by its own field", async () => {
    const pay = new RefundHarness(pg);
    const own = await pay.underpaid();
    const order = new OrderHarness(pg);
    order.partner = pay.partner;
    const deposit = order.facts({ received_minor: '3000000', transaction_hash: own.transaction_hash });
    await order.hearAll(order.confirmedEvent(deposit), order.leftEvent(deposit));
    const refused = await pay.requestRefund();
    expect(refused).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', faults: [{ pointer: '/order_id' }, { pointer: '/reference' }] },
    });
    const message = refused.ok ? '' : refused.error.message;
    expect(message).toMatch(
      /^The order_id or reference field is required: this transfer brought value for several of your orders and payments \(/,
    );
    for (const name of [pay.code, order.orderId]) expect(message).toContain(name);
    expect(await pay.requestRefund({ reference: pay.code, order_id: order.orderId })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    expect(await pay.requestRefund({ reference: pay.code })).toMatchObject({
      ok: true,
      value: { amount_minor: '1000000' },
    });
    expect(await pay.money()).toMatchObject({ unapplied: 3_000_000n, refunding: 1_000_000n });
  });

  it('names no order of another partner', async () => {
    const { a, ofA, asked } = await batch();
    await a.hear(a.leftEvent(ofA));
    const stranger = new OrderHarness(pg);
    stranger.orderId = 'theirs';
    const theirs = stranger.facts({ received_minor: '1000000', transaction_hash: ofA.transaction_hash });
    await stranger.hearAll(stranger.confirmedEvent(theirs), stranger.leftEvent(theirs));
    expect(await stranger.requestRefund({ transaction_hash: ofA.transaction_hash })).toMatchObject({
      ok: true,
      value: { amount_minor: '1000000' },
    });
    expect(await asked({ order_id: 'theirs' })).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(await asked()).toMatchObject({ ok: false, error: { message: expect.not.stringContaining('theirs') } });
  });

  it('has nothing out of reach, whatever came before what waits', async () => {
    const harness = new OrderHarness(pg);
    const transactionHash = nextHash();
    const comes = (received: string) => harness.facts({ received_minor: received, transaction_hash: transactionHash });
    const used = Array.from({ length: 100 }, () => comes('1000'));
    const dust = Array.from({ length: 100 }, () => comes('1'));
    const waits = comes('3000000');
    await harness.hearAll(
      harness.settledEvent(used.map((deposit) => ({ deposit, used: 1_000n, credited: 12n }))),
      harness.leftEvent(...dust, waits),
    );
    expect(await harness.requestRefund({ transaction_hash: transactionHash })).toMatchObject({
      ok: true,
      value: { amount_minor: '3000000' },
    });
  });
});
