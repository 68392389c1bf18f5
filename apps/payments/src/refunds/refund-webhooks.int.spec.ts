import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DepositFacts, Envelope } from '@vuka/contracts';
import type { ProviderAnswer } from '@vuka/payouts';

import { OrderHarness } from '../testing/order-harness.spec-support.js';
import { fundProviders } from '../testing/pay-harness.spec-support.js';
import { ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { ADDRESS, RefundHarness } from '../testing/refund-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

/** Each refund step is reported once, in its commit. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const REFUSED: ProviderAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' };
const DEFAULT_URL = 'https://default.test/hook';

const harness = (...answers: ProviderAnswer[]): RefundHarness => new RefundHarness(pg, new ScriptedProvider(answers));

async function events(refundId: number): Promise<Envelope<'refund-status.changed'>[]> {
  const rows = await pg.db.query<{ envelope: string }>(
    `select envelope from outbox where key = $1 and topic = 'payments.transaction.events.v1' order by sequence, id`,
    [String(refundId)],
  );
  return rows.map(({ envelope }) => JSON.parse(envelope) as Envelope<'refund-status.changed'>);
}

async function told(refundId: number): Promise<(string | number)[][]> {
  return (await events(refundId)).map(({ data }) => [
    data.told,
    data.public_sequence,
    data.payload.status,
    data.payload.refund_transaction_hash,
  ]);
}

describe('a refund that was asked for', () => {
  it('is told when it is held, given to the chain, and final; each once, whatever comes twice', async () => {
    const trip = harness();
    await trip.underpaid();
    const refundId = await trip.refunded();
    expect(await trip.refunded()).toBe(refundId);
    for (const event of ['refund.signed', 'refund.broadcast', 'refund.confirmed'] as const) {
      const happened = trip.refundEvent(event, refundId);
      await trip.records.run(happened);
      await trip.records.run(happened);
      await trip.tellRefund(event, refundId);
    }
    expect(await told(refundId)).toEqual([
      ['refund.held', 1, 'PENDING', ''],
      ['refund.sent', 2, 'PROCESSING', '0xsent'],
      ['refund.confirmed', 3, 'COMPLETE', '0xsent'],
    ]);
    const [held] = await events(refundId);
    expect(held).toMatchObject({
      type: 'refund-status.changed',
      key: String(refundId),
      sequence: 1,
      correlationId: 'r-9',
      causationId: '00-9',
    });
    expect(held?.data).toEqual({
      refund_id: refundId,
      partner_id: trip.partner,
      callback_url: 'https://x.test/?a=1',
      public_sequence: 1,
      told: 'refund.held',
      payload: {
        refund_id: refundId,
        status: 'PENDING',
        chain: 'CELO',
        asset: 'USDC',
        amount: '1.000000',
        address: ADDRESS,
        transaction_hash: trip.hash,
        refund_transaction_hash: '',
        refund_of_transaction_code: trip.code,
        message: 'The refund was accepted, and waits to be sent',
      },
    });
  });

  it('is told to be sent as well where that was overtaken by its end', async () => {
    const trip = harness();
    await trip.underpaid();
    const refundId = await trip.refunded();
    await trip.tellRefund('refund.confirmed', refundId, { sequence: 3 });
    await trip.tellRefund('refund.broadcast', refundId, { sequence: 2 });
    expect((await told(refundId)).map(([event, sequence]) => [event, sequence])).toEqual([
      ['refund.held', 1],
      ['refund.sent', 2],
      ['refund.confirmed', 3],
    ]);
  });

  it.each([
    ['before it was sent', ['refund.signed'], 2],
    ['after it had been given to the chain', ['refund.broadcast'], 3],
  ] as const)('that fails %s is told with the reason; a new one is another refund', async (_, before, place) => {
    const trip = harness();
    await trip.underpaid();
    const refundId = await trip.refunded();
    for (const event of before) await trip.tellRefund(event, refundId);
    await trip.tellRefund('refund.failed', refundId, { reason: 'address_refused' });
    await trip.tellRefund('refund.failed', refundId, { reason: 'address_refused' });
    const last = (await events(refundId)).at(-1);
    expect(last?.data).toMatchObject({
      told: 'refund.failed',
      public_sequence: place,
      payload: { status: 'FAILED', reason: 'address_refused', message: expect.stringContaining('refuses its address') },
    });
    expect((await told(refundId)).length).toBe(place);
    const again = await trip.refunded();
    expect(again).not.toBe(refundId);
    expect((await told(again)).map(([event]) => event)).toEqual(['refund.held']);
  });

  it('that ends because its deposit vanished is told in that commit; that it was sent all the same comes behind it', async () => {
    const trip = harness();
    const deposit = await trip.underpaid();
    const refundId = await trip.refunded();
    await trip.reverted(deposit);
    await trip.reverted(deposit);
    expect(await trip.refundCheck(refundId)).toMatchObject({ state: 'FAILED' });
    expect((await told(refundId)).map(([event, sequence]) => [event, sequence])).toEqual([
      ['refund.held', 1],
      ['refund.failed', 2],
    ]);
    expect((await events(refundId)).at(-1)?.data).toMatchObject({
      callback_url: 'https://x.test/?a=1',
      payload: { reason: 'deposit_reverted', refund_of_transaction_code: trip.code, transaction_hash: trip.hash },
    });
    await trip.tellRefund('refund.signed', refundId, { sequence: 1 });
    await trip.tellRefund('refund.confirmed', refundId, { sequence: 3 });
    expect((await told(refundId)).map(([event, sequence]) => [event, sequence])).toEqual([
      ['refund.held', 1],
      ['refund.failed', 2],
      ['refund.sent', 4],
      ['refund.confirmed', 5],
    ]);
  });

  it.each([
    [null, DEFAULT_URL, DEFAULT_URL],
    ['https://own.test/', DEFAULT_URL, 'https://own.test/'],
    [null, null, null],
  ])(
    'goes to the URL of its payment (%s), else to the default of that moment (%s), to its end',
    async (own, byDefault, expected) => {
      const trip = harness();
      await trip.payAccepted({ callback_url: own });
      await trip.unapplied(trip.facts({ received_minor: '1000000' }));
      const refundId = await trip.refunded({ default_url: byDefault });
      await trip.tellRefund('refund.confirmed', refundId);
      expect((await events(refundId)).map(({ data }) => data.callback_url)).toEqual([expected, expected, expected]);
    },
  );
});

describe('the refund of a pay that failed for good', () => {
  it('is told with the failure, in one commit', async () => {
    const trip = harness(REFUSED);
    const { refundId } = await trip.failedPay();
    const [held] = await events(refundId);
    expect(held?.data).toMatchObject({
      told: 'refund.held',
      public_sequence: 1,
      callback_url: 'https://x.test/?a=1',
      payload: { amount: '3.866000', refund_of_transaction_code: trip.code, transaction_hash: trip.hash },
    });
    expect((await trip.told()).map(([type]) => type)).toEqual(['transaction.processing', 'transaction.failed']);
    await trip.tellRefund('refund.broadcast', refundId);
    await trip.tellRefund('refund.confirmed', refundId);
    expect((await told(refundId)).map(([event]) => event)).toEqual(['refund.held', 'refund.sent', 'refund.confirmed']);
  });
});

describe('the refund of what an order has left over', () => {
  async function overpaid(): Promise<{ harness: OrderHarness; more: DepositFacts; refundId: number }> {
    const harness = new OrderHarness(pg);
    const [whole, more] = [harness.transfer(3_000_000n), harness.transfer(1_000_000n)];
    const uses = [
      { deposit: whole, used: 3_000_000n, credited: 388_05n },
      { deposit: more, used: 0n, credited: 0n },
    ];
    await harness.hearAll(
      harness.confirmedEvent(whole),
      harness.confirmedEvent(more),
      harness.settledEvent(uses, { reason: 'overpaid' }),
    );
    return {
      harness,
      more,
      refundId: await harness.refunded({ transaction_hash: more.transaction_hash, default_url: DEFAULT_URL }),
    };
  }

  it('is told at the default, by the name of the order', async () => {
    const { harness, more, refundId } = await overpaid();
    await harness.tellRefund('refund.broadcast', refundId);
    await harness.tellRefund('refund.confirmed', refundId);
    const told = await events(refundId);
    expect(told.map(({ data }) => [data.told, data.callback_url, data.payload.refund_of_order_id])).toEqual(
      ['refund.held', 'refund.sent', 'refund.confirmed'].map((event) => [event, DEFAULT_URL, 'shop-1']),
    );
    expect(told[0]?.data.payload).toMatchObject({ amount: '1.000000', transaction_hash: more.transaction_hash });
    expect(told[0]?.data.payload).not.toHaveProperty('refund_of_transaction_code');
  });

  it('that ends because its deposit vanished is told in that commit, once', async () => {
    const { harness, more, refundId } = await overpaid();
    await harness.hear(harness.revertedEvent(more));
    await harness.hear(harness.revertedEvent(more));
    expect(
      (await events(refundId)).map(({ data }) => [
        data.told,
        data.public_sequence,
        data.callback_url,
        data.payload.reason,
      ]),
    ).toEqual([
      ['refund.held', 1, DEFAULT_URL, undefined],
      ['refund.failed', 2, DEFAULT_URL, 'deposit_reverted'],
    ]);
  });

  it('of an order that was credited nothing is told, too', async () => {
    const harness = new OrderHarness(pg);
    const deposit = harness.transfer(1_000_000n);
    await harness.hearAll(harness.confirmedEvent(deposit), harness.leftEvent(deposit));
    const refundId = await harness.refunded({ transaction_hash: deposit.transaction_hash, default_url: DEFAULT_URL });
    expect((await events(refundId))[0]?.data).toMatchObject({
      told: 'refund.held',
      callback_url: DEFAULT_URL,
      payload: { refund_of_order_id: 'shop-1' },
    });
  });
});
