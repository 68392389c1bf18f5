import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DepositFacts, StatusRow } from '@vuka/contracts';
import { PermanentEventError } from '@vuka/messaging';
import { Cipher } from '@vuka/runtime';

import { DepositReader } from '../admin/readers/deposit-reader.js';
import { MoneyTroubleReader } from '../admin/readers/money-trouble-reader.js';
import { TransactionLifeReader } from '../admin/readers/transaction-life-reader.js';
import { ListTransactions } from '../lists/list-transactions.js';
import { PageCursors } from '../lists/page-cursor.js';
import { ControlSandboxPayout } from '../payouts/control-sandbox-payout.js';
import { completeOrder, OrderHarness } from '../testing/order-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { ADDRESS } from '../testing/refund-harness.spec-support.js';
import { testVault } from '../transactions/destination-vault.spec-support.js';
import { GetTransaction } from '../transactions/status/get-transaction.js';
import { StatementStore } from '../wallets/statement.store.js';
import { WalletStatement } from '../wallets/wallet-statement.js';

const cipher = new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
const vault = testVault();
const cursors = new PageCursors(cipher);
const EVER = { from: '2026-01-01T00:00:00.000Z', before: '2100-01-01T00:00:00.000Z', cursor: null, limit: 100 };

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

function find(harness: OrderHarness, by: Parameters<GetTransaction['run']>[0]['by'], currency: string | null = null) {
  return new GetTransaction(harness.store, vault, harness.writer).run({ partner_id: harness.partner, currency, by });
}

describe('an order that is COMPLETE', () => {
  it('is a row of its own: a collection, by its code, its reference and each hash that it used, in lists and on the admin API', async () => {
    const { harness, whole, more } = await completeOrder(pg);
    const row = await harness.row();
    expect(row).toEqual({
      id: harness.id,
      transaction_code: harness.code,
      status: 'COMPLETE',
      amount: '517.41',
      amount_in_usd: '4.00',
      type: 'CHECKOUT',
      shortcode: '',
      account_number: null,
      public_name: null,
      receipt_number: null,
      category: 'COLLECTION',
      chain: 'CELO',
      asset: 'USDC',
      transaction_hash: whole.transaction_hash,
      message: 'The order was paid',
      currency_code: 'KES',
      is_released: true,
      mobile_network: '',
      created_at: row.created_at,
      bank_code: '',
      bank_name: '',
      fee: '0.00',
      service_fee: '0.00',
      rate: '129.3517',
      quote_id: '',
      failure_code: '',
      refund: '',
      order_id: 'shop-1',
      updated_at: row.created_at,
      correction: '',
    } satisfies StatusRow);
    for (const by of [
      { reference: harness.code },
      { transaction_hash: whole.transaction_hash },
      { transaction_hash: more.transaction_hash },
    ]) {
      expect(await find(harness, by, 'KES')).toEqual({ ok: true, value: row });
    }
    expect(await find(harness, { transaction_code: harness.code }, 'NGN')).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    const list = new ListTransactions(harness.store, vault, cursors);
    const listed = async (status: StatusRow['status'] | null) => {
      const page = await list.run({ partner_id: harness.partner, currency: 'KES', status, ...EVER });
      return page.ok ? page.value.rows : [];
    };
    expect([await listed('COMPLETE'), await listed(null), await listed('FAILED')]).toEqual([[row], [row], []]);
    const report = await new TransactionLifeReader(pg.db, vault, new MoneyTroubleReader(pg.db)).read(harness.id);
    expect(report).toMatchObject({
      transaction: { operation: 'checkout', destination: { kind: 'checkout' } },
      pay: null,
      hold: null,
      deposits: [
        { state: 'credited', used: { amount: '3.000000' } },
        { state: 'unapplied', used: { amount: '1.000000' } },
      ],
    });
  });

  it('is in the wallet and its statement, deposit by deposit, and nobody is told of a transaction', async () => {
    const { harness } = await completeOrder(pg);
    expect(await harness.money()).toEqual({
      unapplied: 1_000_000n,
      refunding: 0n,
      wallet: 517_41n,
      chain: -5_000_000n,
      owed: 0n,
    });
    const statement = await new WalletStatement(new StatementStore(pg.db), cursors).run({
      partner_id: harness.partner,
      currency: 'KES',
      ...EVER,
    });
    expect(
      statement.ok &&
        statement.value.entries.map(({ kind, transaction_code: code, amount, balance }) => [
          kind,
          code,
          amount,
          balance,
        ]),
    ).toEqual([
      ['checkout', harness.code, '129.36', '517.41'],
      ['checkout', harness.code, '388.05', '388.05'],
    ]);
    expect(await harness.told()).toEqual([]);
    expect(await harness.posted()).toEqual([
      'deposit_unapplied',
      'deposit_unapplied',
      'order_settled',
      'order_settled',
    ]);
  });

  it('of a later deposit that it used for nothing says nothing, by its hash neither', async () => {
    const { harness } = await completeOrder(pg);
    const late = harness.transfer(4_000_000n);
    await harness.hearAll(harness.confirmedEvent(late), harness.leftEvent(late));
    expect(await find(harness, { transaction_hash: late.transaction_hash })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    expect(await harness.on('unapplied')).toBe(5_000_000n);
  });

  it.each([
    ['vanishes', 'reverted'],
    ['was told to be there by another process', 'confirmed'],
  ] as const)('whose deposit %s while it is being settled is credited once all the same', async (_, what) => {
    const harness = new OrderHarness(pg);
    const other = await harness.beside();
    const deposit = harness.transfer(3_000_000n);
    if (what === 'reverted') await harness.hear(harness.confirmedEvent(deposit));
    harness.beforeNext(() =>
      other.hear(what === 'reverted' ? other.revertedEvent(deposit) : other.confirmedEvent(deposit)),
    );
    await harness.hear(harness.settledEvent([{ deposit, used: 3_000_000n, credited: 388_05n }]));
    expect(await harness.state()).toBe('COMPLETE');
    expect(await harness.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 388_05n,
      chain: what === 'reverted' ? 0n : -3_000_000n,
      owed: what === 'reverted' ? -388_05n : 0n,
    });
    expect(await harness.openIncidents()).toEqual(what === 'reverted' ? [['deposit.reverted', 1]] : []);
  });

  it('has nothing that a sandbox provider could be told', async () => {
    const { harness } = await completeOrder(pg);
    const control = harness.partsWith().get(ControlSandboxPayout);
    for (const action of ['release', 'top_up', 'pay', 'reverse'] as const) {
      expect(await control.run({ partner_id: harness.partner, transaction_code: harness.code, action })).toEqual({
        ok: true,
        value: { transaction_code: harness.code, status: 'COMPLETE', done: false },
      });
    }
  });

  it('is refused whatever it could not be by', async () => {
    const { harness, whole, uses } = await completeOrder(pg);
    const other = new OrderHarness(pg);
    const stranger = other.transfer(1_000_000n);
    const wrong = [
      // Another order's deposit, and another value.
      other.settledEvent(uses),
      other.confirmedEvent(whole),
      harness.revertedEvent({ ...whole, received_minor: '1' }),
      other.settledEvent([{ deposit: stranger, used: 1_000_001n, credited: 1n }]),
      other.settledEvent([{ deposit: stranger, used: 0n, credited: 1n }]),
      other.settledEvent([{ deposit: stranger, used: 1n, credited: 2n }], { amount: 1n }),
      // Credited otherwise.
      harness.settledEvent([{ deposit: whole, used: 3_000_000n, credited: 388_04n }]),
      harness.leftEvent(whole),
    ];
    for (const event of wrong) await expect(harness.hear(event)).rejects.toThrow(PermanentEventError);
    expect([await other.posted(), await other.state(), await harness.wallet()]).toEqual([[], 'none', 517_41n]);
  });
});

describe('what an order has left over', () => {
  const asked = (harness: OrderHarness, deposit: DepositFacts) =>
    harness.requestRefund({ transaction_hash: deposit.transaction_hash });

  it('cannot be asked for before its order has ended', async () => {
    const harness = new OrderHarness(pg);
    const deposit = harness.transfer(3_000_000n);
    await harness.hear(harness.confirmedEvent(deposit));
    expect(await asked(harness, deposit)).toMatchObject({
      ok: false,
      error: {
        code: 'hash_already_processed',
        message: 'The transaction_hash has already been processed on CELO, for an order: its order has not ended',
      },
    });
    expect(await harness.on('unapplied')).toBe(3_000_000n);
  });

  it('goes back, and no more: what was used is in the wallet', async () => {
    const { harness, whole, more } = await completeOrder(pg);
    expect(await asked(harness, whole)).toMatchObject({
      ok: false,
      error: { code: 'hash_already_processed', transactionCode: harness.code },
    });
    const refund = await asked(harness, more);
    expect(refund).toMatchObject({ ok: true, value: { status: 'PENDING', amount_minor: '1000000', address: ADDRESS } });
    const refundId = refund.ok ? refund.value.refund_id : 0;
    expect(await harness.heldEvents([refundId])).toMatchObject([
      { deposit_id: more.deposit_id, amount_minor: '1000000' },
    ]);
    expect(await harness.refundColumn()).toBe('PENDING');
    await harness.tellRefund('refund.signed', refundId);
    await harness.tellRefund('refund.confirmed', refundId);
    expect(await harness.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 517_41n,
      chain: -4_000_000n,
      owed: 0n,
    });
    expect(await asked(harness, more)).toMatchObject({ ok: true, value: { status: 'COMPLETE', refund_id: refundId } });
  });

  it('may be asked for again after a refund that failed', async () => {
    const { harness, more } = await completeOrder(pg);
    const refundId = await harness.refunded({ transaction_hash: more.transaction_hash });
    await harness.tellRefund('refund.failed', refundId);
    expect(await harness.money()).toMatchObject({ unapplied: 1_000_000n, refunding: 0n });
    const again = await harness.refunded({ transaction_hash: more.transaction_hash });
    expect(again).not.toBe(refundId);
    expect(await harness.money()).toMatchObject({ unapplied: 0n, refunding: 1_000_000n });
  });

  it('is not sent where the rest alone is too little', async () => {
    const harness = new OrderHarness(pg);
    const deposit = harness.transfer(3_000_000n);
    await harness.hearAll(
      harness.confirmedEvent(deposit),
      harness.settledEvent([{ deposit, used: 2_999_999n, credited: 388_05n }]),
    );
    expect(await asked(harness, deposit)).toMatchObject({ ok: false, error: { code: 'amount_out_of_range' } });
  });

  it('of an order that failed is all of it, for the partner who has no transaction of it', async () => {
    const harness = new OrderHarness(pg);
    const deposit = harness.transfer(3_000_000n);
    await harness.hearAll(harness.leftEvent(deposit), harness.confirmedEvent(deposit));
    expect(await new DepositReader(pg.db).unapplied(100)).toContainEqual(
      expect.objectContaining({ deposit_id: deposit.deposit_id, transaction_code: `order ${harness.id}` }),
    );
    expect(await asked(harness, deposit)).toMatchObject({ ok: true, value: { amount_minor: '3000000' } });
    expect(await new DepositReader(pg.db).openRefunds(100)).toContainEqual(
      expect.objectContaining({ deposit_id: deposit.deposit_id, transaction_code: `order ${harness.id}` }),
    );
    expect(await harness.row().catch(() => 'none')).toBe('none');
  });

  it('that policy credited before its order had ended, and that was to be sent back since, is not credited at the old rate', async () => {
    const harness = new OrderHarness(pg);
    const deposit = harness.transfer(3_000_000n);
    const left = harness.leftEvent(deposit);
    await harness.hearAll(harness.confirmedEvent(deposit), harness.creditedEvent(deposit));
    // Dies between the order and the policy credit; redelivered much later.
    harness.diesNext('after');
    await expect(harness.hear(left)).rejects.toThrow('died');
    await harness.tellRefund('refund.failed', await harness.refunded({ transaction_hash: deposit.transaction_hash }));
    await harness.hear(left);
    expect(await harness.money()).toMatchObject({ unapplied: 3_000_000n, refunding: 0n, wallet: 0n });
    expect(await asked(harness, deposit)).toMatchObject({ ok: true, value: { amount_minor: '3000000' } });
  });

  it("goes to the wallet by policy, at that day's rate, and is no refund then", async () => {
    const { harness, more } = await completeOrder(pg);
    await harness.hear(harness.creditedEvent(more));
    expect(await harness.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 517_41n + 129_35n,
      chain: -5_000_000n,
      owed: 0n,
    });
    expect(await asked(harness, more)).toMatchObject({ ok: false, error: { code: 'hash_already_processed' } });
  });
});
