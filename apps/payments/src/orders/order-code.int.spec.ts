import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DepositFacts, StatusRow } from '@vuka/contracts';
import { Cipher } from '@vuka/runtime';

import { ListTransactions } from '../lists/list-transactions.js';
import { PageCursors } from '../lists/page-cursor.js';
import { FindAcceptance } from '../payouts/accept/find-acceptance.js';
import { OrderHarness } from '../testing/order-harness.spec-support.js';
import { PayHarness } from '../testing/pay-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { GetTransaction, type GetTransactionInput } from '../transactions/status/get-transaction.js';

/** A partner knows its order's code early, and may send it as a payout's `reference`. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const cipher = new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]);

function settled(order: OrderHarness): {
  readonly deposit: DepositFacts;
  readonly event: ReturnType<OrderHarness['settledEvent']>;
} {
  const deposit = order.transfer(3_000_000n);
  return { deposit, event: order.settledEvent([{ deposit, used: 3_000_000n, credited: 388_05n }]) };
}

async function sendsAsReference({ partner, code }: Pick<OrderHarness, 'partner' | 'code'>): Promise<{
  readonly pay: PayHarness;
  readonly answer: Awaited<ReturnType<PayHarness['ask']>>;
}> {
  const pay = new PayHarness(pg);
  pay.partner = partner;
  const answer = await pay.ask({ transaction_code: code });
  if (answer.ok) pay.id = answer.value.transaction_id;
  return { pay, answer };
}

async function found(
  { store, vault, writer }: OrderHarness,
  partner: number,
  by: GetTransactionInput['by'],
): Promise<StatusRow | string> {
  const answer = await new GetTransaction(store, vault, writer).run({ partner_id: partner, currency: null, by });
  return answer.ok ? answer.value : answer.error.code;
}

async function listed({ store, vault, partner }: OrderHarness): Promise<readonly StatusRow[]> {
  const page = await new ListTransactions(store, vault, new PageCursors(cipher)).run({
    partner_id: partner,
    currency: 'KES',
    status: null,
    from: '2026-01-01T00:00:00.000Z',
    before: '2100-01-01T00:00:00.000Z',
    cursor: null,
    limit: 100,
  });
  return page.ok ? page.value.rows : [];
}

/** Credited once under another code; each is found by its own code only. */
async function expectBoth(order: OrderHarness, pay: PayHarness, deposit: DepositFacts): Promise<void> {
  expect([await order.state(), await order.wallet(), await order.on('unapplied'), await order.posted()]).toEqual([
    'COMPLETE',
    388_05n,
    0n,
    ['deposit_unapplied', 'order_settled'],
  ]);
  const credit = (await listed(order)).find(({ category }) => category === 'COLLECTION');
  expect(credit).toMatchObject({
    id: order.id,
    status: 'COMPLETE',
    amount: '388.05',
    type: 'CHECKOUT',
    order_id: order.orderId,
    transaction_hash: deposit.transaction_hash,
  });
  const code = credit?.transaction_code ?? '';
  expect(code).not.toBe(order.code);
  for (const by of [{ transaction_code: code }, { reference: code }, { transaction_hash: deposit.transaction_hash }])
    expect(await found(order, order.partner, by)).toEqual(credit);
  for (const by of [{ transaction_code: order.code }, { reference: order.code }]) {
    expect(await found(order, order.partner, by)).toMatchObject({
      id: pay.id,
      transaction_code: order.code,
      category: 'DISBURSEMENT',
      order_id: '',
    });
  }
  for (const by of [
    { transaction_code: code },
    { transaction_code: order.code },
    { transaction_hash: deposit.transaction_hash },
  ]) {
    expect(await found(order, order.partner + 1_000_000, by)).toBe('not_found');
  }
}

describe('the code of an order that its partner has sent as a reference', () => {
  it('before the order is credited: the credit is not blocked, and gets another code', async () => {
    const order = new OrderHarness(pg);
    const { deposit, event } = settled(order);
    const { pay, answer } = await sendsAsReference(order);
    expect(answer.ok).toBe(true);
    await order.hear(event);
    await order.hear(event);
    await expectBoth(order, pay, deposit);
    expect(await pay.state()).toBe('AWAITING_FUNDS');
  });

  it('while the order is being credited', async () => {
    const order = new OrderHarness(pg);
    const { deposit, event } = settled(order);
    let pay: PayHarness | undefined;
    order.beforeNext(async () => ({ pay } = await sendsAsReference(order)));
    await order.hear(event);
    await expectBoth(order, pay!, deposit);
  });

  it('and that two processes credit, or one that dies after its commit, is credited once', async () => {
    const order = new OrderHarness(pg);
    const other = await order.beside();
    const { deposit, event } = settled(order);
    const { pay } = await sendsAsReference(order);
    order.diesNext('before');
    await Promise.allSettled([order.hearUntilDone(event), other.hearUntilDone(event)]);
    await order.hear(event);
    await expectBoth(order, pay, deposit);
  });

  it('after the order was credited: the payout is refused as one of a used reference, and the credit is found as before', async () => {
    const order = new OrderHarness(pg);
    const { event } = settled(order);
    await order.hear(event);
    const credit = await order.row();
    expect(credit.transaction_code).toBe(order.code);
    expect(
      await new FindAcceptance(order.store, order.writer).run({
        partner_id: order.partner,
        transaction_code: order.code,
        fingerprint: 'v1:pay',
      }),
    ).toEqual({ ok: true, value: { acceptance: null } });
    const { answer } = await sendsAsReference(order);
    expect(answer).toMatchObject({ ok: false, error: { code: 'reference_reused', transactionCode: order.code } });
    expect(await found(order, order.partner, { transaction_code: order.code })).toEqual(credit);
    // For another partner it is an ordinary reference.
    const again = await sendsAsReference({ partner: order.partner + 1_000_000, code: order.code });
    expect(again.answer.ok).toBe(true);
    expect(await found(order, order.partner + 1_000_000, { transaction_code: order.code })).toMatchObject({
      id: again.pay.id,
      category: 'DISBURSEMENT',
    });
  });

  it('of another partner is no business of the order: its credit has its own code', async () => {
    const order = new OrderHarness(pg);
    const { event } = settled(order);
    await sendsAsReference({ partner: order.partner + 1_000_000, code: order.code });
    await order.hear(event);
    expect(await order.row()).toMatchObject({ transaction_code: order.code, status: 'COMPLETE' });
  });
});
