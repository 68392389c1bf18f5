import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallContext, DeliveryView, RefundCallback, RefundTold } from '@vuka/contracts';

import { DeliveryFixture, DOWN, TRIES } from '../testing/delivery-fixture.spec-support.js';
import { refundEvent, transactionEvent } from '../testing/notifier.spec-support.js';

/** Webhooks without a change of public status: held payments, late payments, refunds. */
let fixture: DeliveryFixture;
const context: CallContext = { requestId: 'r', traceparent: '', deadline: Number.MAX_SAFE_INTEGER };

beforeAll(async () => {
  fixture = await DeliveryFixture.start();
}, 60_000);
afterAll(() => fixture.stop());
beforeEach(() => fixture.clear());

const REFUND = 77;
const OF_PAYMENT = { refund_of_transaction_code: 'order-9' } as const;

async function log(
  more: Partial<{ transaction_code: string; order_id: string; event: RefundTold }> = {},
): Promise<DeliveryView[]> {
  const input = {
    partner_id: 1,
    state: null,
    event: null,
    transaction_code: null,
    order_id: null,
    from: null,
    before: null,
    cursor: null,
    limit: 50,
    ...more,
  };
  const page = await fixture.operations.listDeliveries(input, context);
  if (!page.ok) throw new Error(page.error.message);
  return (page.value.deliveries as DeliveryView[]).toSorted((one, other) => one.sequence - other.sequence);
}

async function tellRefund(
  told: RefundTold,
  sequence: number,
  of: Pick<RefundCallback, 'refund_of_transaction_code' | 'refund_of_order_id'> = OF_PAYMENT,
): Promise<void> {
  await fixture.changes().run(
    refundEvent({
      transactionId: REFUND,
      sequence,
      told,
      of,
      url: 'https://a.example/hook',
      occurredAt: fixture.clock.now(),
    }),
  );
}

const stated = (rows: readonly DeliveryView[]): string[] => rows.map(({ event, state }) => `${event} ${state}`);
const posted = (): string[] =>
  fixture.posted.map(
    ({ headers }) =>
      `${String(headers['webhook-id'])} ${String(headers['x-vuka-event'])} ${String(headers['x-vuka-sequence'])}`,
  );

describe('transaction.corrected', () => {
  it('is delivered in addition to the FAILED that waits for a retry: neither replaces the other', async () => {
    fixture.answers.set('a.example', DOWN);
    await fixture.tell({ transactionId: 9, type: 'transaction.failed', sequence: 2 });
    await fixture.deliver(1);
    await fixture.tell({ transactionId: 9, type: 'transaction.corrected', sequence: 3 });
    expect(stated(await log())).toEqual(['transaction.failed pending', 'transaction.corrected pending']);
    fixture.answers.delete('a.example');
    await fixture.deliver(1);
    expect(stated(await log())).toEqual(['transaction.failed delivered', 'transaction.corrected delivered']);
    expect(posted().slice(1).toSorted()).toEqual(['9_2 transaction.failed 2', '9_3 transaction.corrected 3']);
  });

  it('is delivered once for repeated events, also before the FAILED, which is delivered too', async () => {
    const changes = fixture.changes();
    const event = transactionEvent({
      type: 'transaction.corrected',
      transactionId: 9,
      sequence: 3,
      url: 'https://a.example/hook',
      occurredAt: fixture.clock.now(),
    });
    await Promise.all([event, event, event].map((told) => changes.run(told)));
    await fixture.tell({ transactionId: 9, type: 'transaction.failed', sequence: 2 });
    await fixture.deliver(2);
    expect(posted().toSorted()).toEqual(['9_2 transaction.failed 2', '9_3 transaction.corrected 3']);
  });

  it('is given up after its retries, and is sent again unchanged on request', async () => {
    fixture.answers.set('a.example', DOWN);
    await fixture.tell({ transactionId: 9, type: 'transaction.corrected', sequence: 3 });
    await fixture.deliver(TRIES);
    const [given] = await log();
    expect([given?.state, given?.attempts]).toEqual(['failed', TRIES]);
    fixture.answers.delete('a.example');
    expect(
      await fixture.operations.resendDelivery({ partner_id: 1, delivery_id: given?.id ?? 0 }, context),
    ).toMatchObject({ ok: true });
    await fixture.deliver(1);
    expect([stated(await log()), new Set(fixture.posted.map(({ body }) => body)).size]).toEqual([
      ['transaction.corrected delivered'],
      1,
    ]);
  });
});

describe('transaction.held', () => {
  it('replaces the PROCESSING before it, and is replaced by the next change', async () => {
    fixture.answers.set('a.example', DOWN);
    await fixture.tell(
      { transactionId: 9, type: 'transaction.processing', sequence: 1 },
      { transactionId: 9, type: 'transaction.held', sequence: 2 },
    );
    expect(stated(await log())).toEqual(['transaction.processing superseded', 'transaction.held pending']);
    await fixture.tell({ transactionId: 9, type: 'transaction.complete', sequence: 3 });
    expect(stated(await log())).toEqual([
      'transaction.processing superseded',
      'transaction.held superseded',
      'transaction.complete pending',
    ]);
  });
});

describe('a refund', () => {
  it('is delivered under its own number, apart from its payment', async () => {
    fixture.answers.set('a.example', DOWN);
    await fixture.tell({ transactionId: 9, type: 'transaction.failed', sequence: 2 });
    await tellRefund('refund.held', 1);
    await tellRefund('refund.sent', 2);
    await tellRefund('refund.confirmed', 3);
    expect(stated(await log()).toSorted()).toEqual([
      'refund.confirmed pending',
      'refund.held superseded',
      'refund.sent superseded',
      'transaction.failed pending',
    ]);
    fixture.answers.delete('a.example');
    await fixture.deliver(1);
    expect(posted().toSorted()).toEqual(['77_3 refund.confirmed 3', '9_2 transaction.failed 2']);
    const { body } = fixture.posted.find(({ headers }) => headers['x-vuka-event'] === 'refund.confirmed')!;
    // Without its event, the body must not look like the payment's.
    expect(JSON.parse(body)).toEqual({
      refund_id: REFUND,
      status: 'COMPLETE',
      chain: 'CELO',
      asset: 'USDC',
      amount: '1.000000',
      address: '0xb0',
      transaction_hash: '0xd0',
      refund_transaction_hash: '',
      refund_of_transaction_code: 'order-9',
      message: 'naïve – état',
    });
  });

  it.each([
    ['a payment', OF_PAYMENT, { transaction_code: 'order-9', order_id: '' }],
    ['an order', { refund_of_order_id: 'order-9' }, { transaction_code: '', order_id: 'order-9' }],
  ])('of %s is in the log under that, also when its payload has expired', async (_, of, names) => {
    await tellRefund('refund.failed', 2, of);
    await fixture.deliver(1);
    const asked = names.order_id === '' ? { transaction_code: 'order-9' } : { order_id: 'order-9' };
    expect(await log(asked)).toMatchObject([
      { webhook_id: '77_2', event: 'refund.failed', sequence: 2, payload: { refund_id: REFUND }, ...names },
    ]);
    expect(await log({ event: 'refund.failed' })).toHaveLength(1);
    expect(await log(names.order_id === '' ? { order_id: 'order-9' } : { transaction_code: 'order-9' })).toEqual([]);
    fixture.clock.advance(40 * 86_400_000);
    await fixture.expiring().run();
    expect(await log(asked)).toMatchObject([{ payload: null, ...names }]);
  });
});
