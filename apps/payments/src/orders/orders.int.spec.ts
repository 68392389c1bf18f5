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
import { completeOrder, OrderRoad } from '../testing/order-road.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { ADDRESS } from '../testing/refund-road.spec-support.js';
import { DestinationVault } from '../transactions/destination-vault.js';
import { GetTransaction } from '../transactions/get-transaction.js';
import { StatementStore } from '../wallets/statement.store.js';
import { WalletStatement } from '../wallets/wallet-statement.js';

const cipher = new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
const vault = new DestinationVault(cipher);
const cursors = new PageCursors(cipher);
const EVER = { from: '2026-01-01T00:00:00.000Z', before: '2100-01-01T00:00:00.000Z', cursor: null, limit: 100 };

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

function find(road: OrderRoad, by: Parameters<GetTransaction['run']>[0]['by'], currency: string | null = null) {
  return new GetTransaction(road.store, vault, road.writer).run({ partner_id: road.partner, currency, by });
}

describe('an order that is COMPLETE', () => {
  it('is a row of its own: a collection, by its code, its reference and each hash that it used, in lists and on the desk', async () => {
    const { road, whole, more } = await completeOrder(pg);
    const row = await road.row();
    expect(row).toEqual({
      id: road.id,
      transaction_code: road.code,
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
      { reference: road.code },
      { transaction_hash: whole.transaction_hash },
      { transaction_hash: more.transaction_hash },
    ]) {
      expect(await find(road, by, 'KES')).toEqual({ ok: true, value: row });
    }
    expect(await find(road, { transaction_code: road.code }, 'NGN')).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    const list = new ListTransactions(road.store, vault, cursors);
    const listed = async (status: StatusRow['status'] | null) => {
      const page = await list.run({ partner_id: road.partner, currency: 'KES', status, ...EVER });
      return page.ok ? page.value.rows : [];
    };
    expect([await listed('COMPLETE'), await listed(null), await listed('FAILED')]).toEqual([[row], [row], []]);
    const report = await new TransactionLifeReader(pg.db, vault, new MoneyTroubleReader(pg.db)).read(road.id);
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
    const { road } = await completeOrder(pg);
    expect(await road.money()).toEqual({
      unapplied: 1_000_000n,
      refunding: 0n,
      wallet: 517_41n,
      chain: -5_000_000n,
      owed: 0n,
    });
    const statement = await new WalletStatement(new StatementStore(pg.db), cursors).run({
      partner_id: road.partner,
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
      ['checkout', road.code, '129.36', '517.41'],
      ['checkout', road.code, '388.05', '388.05'],
    ]);
    expect(await road.told()).toEqual([]);
    expect(await road.posted()).toEqual(['P3', 'P3', 'P13', 'P13']);
  });

  it('of a later deposit that it used for nothing says nothing, by its hash neither', async () => {
    const { road } = await completeOrder(pg);
    const late = road.transfer(4_000_000n);
    await road.hearAll(road.confirmedEvent(late), road.leftEvent(late));
    expect(await find(road, { transaction_hash: late.transaction_hash })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    expect(await road.on('unapplied')).toBe(5_000_000n);
  });

  it.each([
    ['vanishes', 'reverted'],
    ['was told to be there by another process', 'confirmed'],
  ] as const)('whose deposit %s while it is being settled is credited once all the same', async (_, what) => {
    const road = new OrderRoad(pg);
    const other = await road.beside();
    const deposit = road.transfer(3_000_000n);
    if (what === 'reverted') await road.hear(road.confirmedEvent(deposit));
    road.beforeNext(() =>
      other.hear(what === 'reverted' ? other.revertedEvent(deposit) : other.confirmedEvent(deposit)),
    );
    await road.hear(road.settledEvent([{ deposit, used: 3_000_000n, credited: 388_05n }]));
    expect(await road.state()).toBe('COMPLETE');
    expect(await road.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 388_05n,
      chain: what === 'reverted' ? 0n : -3_000_000n,
      owed: what === 'reverted' ? -388_05n : 0n,
    });
    expect(await road.openIncidents()).toEqual(what === 'reverted' ? [['deposit.reverted', 1]] : []);
  });

  it('has nothing that a sandbox rail could be told', async () => {
    const { road } = await completeOrder(pg);
    const control = road.partsWith().get(ControlSandboxPayout);
    for (const action of ['release', 'top_up', 'pay', 'reverse'] as const) {
      expect(await control.run({ partner_id: road.partner, transaction_code: road.code, action })).toEqual({
        ok: true,
        value: { transaction_code: road.code, status: 'COMPLETE', done: false },
      });
    }
  });

  it('is refused whatever it could not be by', async () => {
    const { road, whole, uses } = await completeOrder(pg);
    const other = new OrderRoad(pg);
    const stranger = other.transfer(1_000_000n);
    const wrong = [
      // Another order's deposit, and a deposit with another value.
      other.settledEvent(uses),
      other.confirmedEvent(whole),
      road.revertedEvent({ ...whole, received_minor: '1' }),
      other.settledEvent([{ deposit: stranger, used: 1_000_001n, credited: 1n }]),
      other.settledEvent([{ deposit: stranger, used: 0n, credited: 1n }]),
      other.settledEvent([{ deposit: stranger, used: 1n, credited: 2n }], { amount: 1n }),
      // The same deposit, credited otherwise.
      road.settledEvent([{ deposit: whole, used: 3_000_000n, credited: 388_04n }]),
      road.leftEvent(whole),
    ];
    for (const event of wrong) await expect(road.hear(event)).rejects.toThrow(PermanentEventError);
    expect([await other.posted(), await other.state(), await road.wallet()]).toEqual([[], 'none', 517_41n]);
  });
});

describe('what an order has left over', () => {
  const asked = (road: OrderRoad, deposit: DepositFacts) =>
    road.requestRefund({ transaction_hash: deposit.transaction_hash });

  it('cannot be asked for before its order has ended', async () => {
    const road = new OrderRoad(pg);
    const deposit = road.transfer(3_000_000n);
    await road.hear(road.confirmedEvent(deposit));
    expect(await asked(road, deposit)).toMatchObject({
      ok: false,
      error: {
        code: 'hash_already_processed',
        message: 'The transaction_hash has already been processed on CELO, for an order: its order has not ended',
      },
    });
    expect(await road.on('unapplied')).toBe(3_000_000n);
  });

  it('goes back, and no more: what was used is in the wallet', async () => {
    const { road, whole, more } = await completeOrder(pg);
    expect(await asked(road, whole)).toMatchObject({
      ok: false,
      error: { code: 'hash_already_processed', transactionCode: road.code },
    });
    const refund = await asked(road, more);
    expect(refund).toMatchObject({ ok: true, value: { status: 'PENDING', amount_minor: '1000000', address: ADDRESS } });
    const refundId = refund.ok ? refund.value.refund_id : 0;
    expect(await road.heldEvents([refundId])).toMatchObject([{ deposit_id: more.deposit_id, amount_minor: '1000000' }]);
    expect(await road.refundColumn()).toBe('PENDING');
    await road.tellRefund('refund.signed', refundId);
    await road.tellRefund('refund.confirmed', refundId);
    expect(await road.money()).toEqual({ unapplied: 0n, refunding: 0n, wallet: 517_41n, chain: -4_000_000n, owed: 0n });
    expect(await asked(road, more)).toMatchObject({ ok: true, value: { status: 'COMPLETE', refund_id: refundId } });
  });

  it('may be asked for again after a refund that failed', async () => {
    const { road, more } = await completeOrder(pg);
    const refundId = await road.refunded({ transaction_hash: more.transaction_hash });
    await road.tellRefund('refund.failed', refundId);
    expect(await road.money()).toMatchObject({ unapplied: 1_000_000n, refunding: 0n });
    const again = await road.refunded({ transaction_hash: more.transaction_hash });
    expect(again).not.toBe(refundId);
    expect(await road.money()).toMatchObject({ unapplied: 0n, refunding: 1_000_000n });
  });

  it('is not sent where the rest alone is too little', async () => {
    const road = new OrderRoad(pg);
    const deposit = road.transfer(3_000_000n);
    await road.hearAll(
      road.confirmedEvent(deposit),
      road.settledEvent([{ deposit, used: 2_999_999n, credited: 388_05n }]),
    );
    expect(await asked(road, deposit)).toMatchObject({ ok: false, error: { code: 'amount_out_of_range' } });
  });

  it('of an order that failed is all of it, for the partner who has no transaction of it', async () => {
    const road = new OrderRoad(pg);
    const deposit = road.transfer(3_000_000n);
    await road.hearAll(road.leftEvent(deposit), road.confirmedEvent(deposit));
    expect(await new DepositReader(pg.db).unapplied(100)).toContainEqual(
      expect.objectContaining({ deposit_id: deposit.deposit_id, transaction_code: `order ${road.id}` }),
    );
    expect(await asked(road, deposit)).toMatchObject({ ok: true, value: { amount_minor: '3000000' } });
    expect(await new DepositReader(pg.db).openRefunds(100)).toContainEqual(
      expect.objectContaining({ deposit_id: deposit.deposit_id, transaction_code: `order ${road.id}` }),
    );
    expect(await road.row().catch(() => 'none')).toBe('none');
  });

  it('that policy credited before its order had ended, and that was to be sent back since, is not credited at the old rate', async () => {
    const road = new OrderRoad(pg);
    const deposit = road.transfer(3_000_000n);
    const left = road.leftEvent(deposit);
    await road.hearAll(road.confirmedEvent(deposit), road.creditedEvent(deposit));
    // The process dies when the order's word is written, and before policy's is carried out; the wire brings the word again much later.
    road.diesNext('after');
    await expect(road.hear(left)).rejects.toThrow('died');
    await road.tellRefund('refund.failed', await road.refunded({ transaction_hash: deposit.transaction_hash }));
    await road.hear(left);
    expect(await road.money()).toMatchObject({ unapplied: 3_000_000n, refunding: 0n, wallet: 0n });
    expect(await asked(road, deposit)).toMatchObject({ ok: true, value: { amount_minor: '3000000' } });
  });

  it("goes to the wallet by policy, at that day's rate, and is no refund then", async () => {
    const { road, more } = await completeOrder(pg);
    await road.hear(road.creditedEvent(more));
    expect(await road.money()).toEqual({
      unapplied: 0n,
      refunding: 0n,
      wallet: 517_41n + 129_35n,
      chain: -5_000_000n,
      owed: 0n,
    });
    expect(await asked(road, more)).toMatchObject({ ok: false, error: { code: 'hash_already_processed' } });
  });
});
