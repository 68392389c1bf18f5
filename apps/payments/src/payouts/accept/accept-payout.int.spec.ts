import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallContext, StatusRow } from '@vuka/contracts';
import { formatDecimal, type PayoutDestination } from '@vuka/domain';
import { Cipher, systemClock, uuidv7 } from '@vuka/runtime';

import { partsOn, type Parts } from '../../testing/parts.spec-support.js';
import { CommitWriter } from '../../commit/commit-writer.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../../testing/payments-database.spec-support.js';
import { DestinationVault } from '../../transactions/destination-vault.js';
import { GetTransaction } from '../../transactions/status/get-transaction.js';
import { TransactionStore } from '../../transactions/transaction.store.js';
import { Wallets } from '../../wallets/wallets.js';
import { AcceptPayout, type AcceptPayoutInput } from './accept-payout.js';

const CONTEXT: CallContext = { requestId: 'r-1', traceparent: '00-1', deadline: Number.MAX_SAFE_INTEGER };
const FUNDS = 1_000_00n;

const BANK: PayoutDestination = {
  kind: 'bank',
  account_number: '1234567890',
  bank_code: '01',
  bank_name: 'KCB Bank Kenya',
};
const MOBILE: PayoutDestination = { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' };
const PAYBILL: PayoutDestination = { kind: 'paybill', shortcode: '888880', account_number: 'INV-0042' };
const TILL: PayoutDestination = { kind: 'till', shortcode: '54321' };

let pg: PaymentsDatabase;
let parts: Parts;
let writer: CommitWriter;
let store: TransactionStore;
let accept: AcceptPayout;
let partner = 0;
let vault: DestinationVault;
const cipher = new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]);

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  parts = partsOn(pg.db, systemClock);
  store = parts.get(TransactionStore);
  writer = parts.get(CommitWriter);
  accept = parts.get(AcceptPayout);
  vault = parts.get(DestinationVault);
}, 60_000);

beforeEach(async () => {
  partner += 1;
  const wallets = parts.get(Wallets);
  await wallets.openInSandbox({ partner_id: partner, openings: [{ currency: 'KES', amount_minor: FUNDS.toString() }] });
});

afterAll(async () => {
  await writer.drain();
  await pg.stopWhole();
});

function request(more: Partial<AcceptPayoutInput> = {}): AcceptPayoutInput {
  return {
    operation: 'disburse',
    partner_id: partner,
    transaction_code: uuidv7(),
    fingerprint: 'v1:a',
    currency: 'KES',
    amount_minor: '50000',
    fee_minor: '0',
    destination: MOBILE,
    callback_url: null,
    ...more,
  };
}

async function balance(): Promise<bigint> {
  const [row] = await pg.db.query<{ minor: string }>(
    'select balance_minor::text as minor from accounts where name = $1',
    [`wallet:${partner}:KES`],
  );
  return BigInt(row?.minor ?? -1);
}

async function rowOf(transaction_code: string): Promise<StatusRow> {
  const found = await new GetTransaction(store, vault, writer).run({
    partner_id: partner,
    currency: null,
    by: { transaction_code },
  });
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

describe('a service fee that a partner has agreed on', () => {
  it.each([
    [{ flat_minor: '0', basis_points: 0 }, 0n],
    [{ flat_minor: '700', basis_points: 0 }, 7_00n],
    // 0.050001 of 500.01, rounded up to 0.06.
    [{ flat_minor: '0', basis_points: 1 }, 6n],
    [{ flat_minor: '250', basis_points: 150 }, 2_50n + 7_51n],
  ])('is charged instead of the deployment’s own (%j), and stays with the transaction', async (service_fee, fee) => {
    const input = request({ amount_minor: '50001', service_fee });
    expect(await accept.run(input, CONTEXT)).toMatchObject({ ok: true });
    expect(await balance()).toBe(FUNDS - 500_01n - fee);
    expect(await rowOf(input.transaction_code)).toMatchObject({ service_fee: formatDecimal(fee, 2) });
  });

  it('that the wallet does not cover is told with that fee', async () => {
    expect(
      await accept.run(
        request({ amount_minor: '90000', service_fee: { flat_minor: '10001', basis_points: 0 } }),
        CONTEXT,
      ),
    ).toMatchObject({
      ok: false,
      error: { code: 'insufficient_balance', message: expect.stringContaining('service fee 100.01') },
    });
  });
});

describe('accepting a payout', () => {
  it.each([
    [
      MOBILE.kind,
      MOBILE,
      {
        type: 'MOBILE',
        shortcode: '0712345678',
        account_number: null,
        mobile_network: 'Safaricom',
        bank_code: '',
        bank_name: '',
      },
    ],
    [
      PAYBILL.kind,
      PAYBILL,
      {
        type: 'PAYBILL',
        shortcode: '888880',
        account_number: 'INV-0042',
        mobile_network: '',
        bank_code: '',
        bank_name: '',
      },
    ],
    [
      TILL.kind,
      TILL,
      { type: 'BUY_GOODS', shortcode: '54321', account_number: null, mobile_network: '', bank_code: '', bank_name: '' },
    ],
    [
      BANK.kind,
      BANK,
      {
        type: 'BANK_TRANSFER',
        shortcode: '',
        account_number: '1234567890',
        mobile_network: '',
        bank_code: '01',
        bank_name: 'KCB Bank Kenya',
      },
    ],
  ])('to a %s holds the amount, and answers the row of its kind', async (_, destination, expected) => {
    const input = request({ destination, fee_minor: '2000' });
    const accepted = await accept.run(input, CONTEXT);
    expect(accepted).toMatchObject({
      ok: true,
      value: {
        status: 'PENDING',
        transaction_code: input.transaction_code,
        message: 'Payout accepted and being processed',
        replayed: false,
      },
    });
    expect(await balance()).toBe(FUNDS - 500_00n);
    expect(await rowOf(input.transaction_code)).toMatchObject({
      ...expected,
      status: 'PENDING',
      amount: '500.00',
      fee: '20.00',
      service_fee: '0.00',
      category: 'DISBURSEMENT',
      currency_code: 'KES',
      chain: '',
      asset: null,
      transaction_hash: null,
      message: 'Payout accepted and being processed',
    });
  });

  it('keeps its numbers sealed, and gives the whole destination back for its own transaction alone', async () => {
    for (const destination of [MOBILE, PAYBILL, TILL, BANK]) {
      const input = request({ destination, amount_minor: '2000' });
      await accept.run(input, CONTEXT);
      const snapshot = await store.byCode(partner, input.transaction_code);
      if (!snapshot) throw new Error('not there');
      expect(vault.open(snapshot.details.id, 'KES', snapshot.destination)).toEqual(destination);
      expect(() => vault.open(snapshot.details.id + 1, 'KES', snapshot.destination)).toThrow();
      const [stored] = await pg.db.query('select * from destinations where transaction_id = $1', [snapshot.details.id]);
      for (const digits of ['712345678', '888880', 'INV-0042', '54321', '1234567890'])
        expect(JSON.stringify(stored)).not.toContain(digits);
    }
  });

  const index = async (destination: PayoutDestination): Promise<string> =>
    (await vault.seal({ transactionId: 1, partnerId: partner, currency: 'KES' }, destination)).blindIndex;

  it('finds equal recipients by their index, whatever network they are on, and takes no kind for another', async () => {
    expect(await index({ ...MOBILE, mobile_network: 'Airtel' })).toBe(await index(MOBILE));
    const others = [
      MOBILE,
      { ...MOBILE, phone: '+254712345679' },
      PAYBILL,
      { ...PAYBILL, account_number: 'INV-0043' },
      TILL,
      { ...TILL, shortcode: '888880' },
      BANK,
    ];
    expect(new Set(await Promise.all(others.map(index))).size).toBe(others.length);
  });

  it('knows a phone’s owner by the local form of the number, and an account by its bank', async () => {
    expect(await index(MOBILE)).toBe(cipher.blindIndex('KES:mobile:0712345678'));
    expect(await index(BANK)).toBe(cipher.blindIndex('KES:bank:01:1234567890'));
  });

  it('are sealed by one key for each partner and month, which their cipher key seals', async () => {
    const rows = await pg.db.query<{ keys: string; sealed: string }>(
      `select count(*)::text as keys, min(sealed_key) as sealed from recipient_keys where partner_id = $1`,
      [partner],
    );
    await accept.run(request(), CONTEXT);
    await accept.run(request(), CONTEXT);
    const [after] = await pg.db.query<{ keys: string; sealed: string; months: string }>(
      `select count(*)::text as keys, min(sealed_key) as sealed, count(distinct d.key_id)::text as months
         from recipient_keys k join destinations d on d.key_id = k.id where k.partner_id = $1`,
      [partner],
    );
    expect([rows[0]?.keys, after?.keys, after?.months]).toEqual(['0', '2', '1']);
    expect(after?.sealed).toMatch(/^v1\.k1\./);
  });

  it('charges each operation its own service fee', async () => {
    const transfer = request({ operation: 'bank_transfer', destination: BANK });
    expect(await accept.run(transfer, CONTEXT)).toMatchObject({
      ok: true,
      value: { message: 'Bank transfer accepted and being processed' },
    });
    expect(await balance()).toBe(FUNDS - 530_00n);
    expect((await rowOf(transfer.transaction_code)).service_fee).toBe('30.00');
  });

  it('takes nothing that the wallet does not cover', async () => {
    const input = request({ amount_minor: '100001' });
    expect(await accept.run(input, CONTEXT)).toMatchObject({
      ok: false,
      error: {
        code: 'insufficient_balance',
        message: 'The KES wallet does not cover 1000.01 (amount 1000.01, service fee 0.00)',
      },
    });
    expect(await balance()).toBe(FUNDS);
    expect(await store.byCode(partner, input.transaction_code)).toBeUndefined();
  });
});

describe('one reference', () => {
  it('is one payout however often it is sent, at once or later', async () => {
    const input = request({ transaction_code: 'ref-1' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept.run(input, CONTEXT)));
    answers.push(await accept.run(input, CONTEXT));
    expect(new Set(answers.map((answer) => (answer.ok ? answer.value.transaction_id : 0))).size).toBe(1);
    expect(answers.filter((answer) => answer.ok && !answer.value.replayed)).toHaveLength(1);
    expect(await balance()).toBe(FUNDS - 500_00n);
  });

  it.each([
    ['bank_transfer', 'disburse'],
    ['disburse', 'bank_transfer'],
  ] as const)('used by a %s is refused to a %s, and names the transaction', async (used, other) => {
    const first = request({ operation: used, destination: BANK, transaction_code: 'ref-2', fingerprint: `v1:${used}` });
    expect((await accept.run(first, CONTEXT)).ok).toBe(true);
    const before = await balance();
    expect(await accept.run({ ...first, operation: other, fingerprint: `v1:${other}` }, CONTEXT)).toMatchObject({
      ok: false,
      error: { code: 'reference_reused', transactionCode: 'ref-2' },
    });
    expect(await balance()).toBe(before);
  });

  it('is the same request under a newer index key of gateway, and is kept under the newest alone', async () => {
    const first = request({ transaction_code: 'ref-4', fingerprint: 'v1.i1.a' });
    expect(await accept.run(first, CONTEXT)).toMatchObject({ ok: true, value: { replayed: false } });
    const before = await balance();
    const again = { ...first, fingerprint: 'v1.i2.A v1.i1.a' };
    expect(await accept.run(again, CONTEXT)).toMatchObject({ ok: true, value: { replayed: true } });
    expect(await accept.run({ ...first, fingerprint: 'v1.i2.A v1.i1.b' }, CONTEXT)).toMatchObject({
      ok: false,
      error: { code: 'reference_reused' },
    });
    // Without the old key nobody knows it: it is refused, never paid twice.
    expect((await accept.run({ ...first, fingerprint: 'v1.i2.A' }, CONTEXT)).ok).toBe(false);
    expect(await balance()).toBe(before);
    await accept.run(request({ transaction_code: 'ref-5', fingerprint: 'v1.i2.B v1.i1.b' }), CONTEXT);
    const kept = await pg.db.query<{ fingerprint: string }>(
      `select fingerprint from transaction_keys where partner_id = $1 and reference in ('ref-4', 'ref-5') order by reference`,
      [partner],
    );
    expect(kept.map(({ fingerprint }) => fingerprint)).toEqual(['v1.i1.a', 'v1.i2.B']);
  });

  it('is free for another partner', async () => {
    await accept.run(request({ transaction_code: 'ref-3' }), CONTEXT);
    const wallets = parts.get(Wallets);
    await wallets.openInSandbox({
      partner_id: partner + 1_000,
      openings: [{ currency: 'KES', amount_minor: FUNDS.toString() }],
    });
    expect(
      await accept.run(
        request({ transaction_code: 'ref-3', partner_id: partner + 1_000, fingerprint: 'v1:b' }),
        CONTEXT,
      ),
    ).toMatchObject({
      ok: true,
      value: { replayed: false },
    });
  });
});
