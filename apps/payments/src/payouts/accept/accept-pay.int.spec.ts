import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import { uuidv7 } from '@vuka/runtime';

import { nextHash, PayHarness } from '../../testing/pay-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../../testing/payments-database.spec-support.js';
import { GetTransaction } from '../../transactions/status/get-transaction.js';
import { FindAcceptance } from './find-acceptance.js';

let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
}, 60_000);
afterAll(() => pg.stopWhole());

const harness = (): PayHarness => new PayHarness(pg);
const count = async (table: string, id: number): Promise<number> =>
  (await pg.db.query(`select 1 from ${table} where transaction_id = $1`, [id])).length;

async function outboxOf(id: number): Promise<Envelope[]> {
  const rows = await pg.db.query<{ envelope: string; topic: string }>(
    'select envelope, topic from outbox where key = $1 order by xid, id',
    [String(id)],
  );
  return rows.map((row) => JSON.parse(row.envelope) as Envelope);
}

describe('a pay that is accepted', () => {
  it('is PENDING, holds nothing, costs no fee, and asks for its deposit in the same commit', async () => {
    const trip = await harness().payAccepted({ asset: 'USDC', fee_minor: '2000', quote_id: null });
    expect(await trip.state()).toBe('AWAITING_FUNDS');
    expect(await trip.row()).toMatchObject({
      status: 'PENDING',
      category: 'DISBURSEMENT',
      type: 'MOBILE',
      amount: '500.00',
      fee: '20.00',
      service_fee: '0.00',
      chain: 'CELO',
      asset: 'USDC',
      transaction_hash: trip.hash,
      rate: '',
      amount_in_usd: '0.00',
      quote_id: '',
      refund: '',
      failure_code: '',
      message: 'Payment accepted and waiting for its deposit',
    });
    expect(await trip.held()).toBe(0n);
    expect(await trip.posted()).toEqual([]);
    const [asked, ...more] = await outboxOf(trip.id);
    expect(more).toEqual([]);
    expect(asked).toMatchObject({
      type: 'transaction.awaiting-deposit',
      key: String(trip.id),
      sequence: 1,
      correlationId: 'r-1',
      causationId: '00-1',
      producer: 'payments',
      data: {
        transaction_id: trip.id,
        partner_id: trip.partner,
        chain: 'CELO',
        transaction_hash: trip.hash,
        asset: 'USDC',
        currency: 'KES',
        amount_minor: '50000',
        quote_id: null,
        accepted_at: trip.clock.now().toISOString(),
      },
    });
  });

  it('is found by each spelling of its hash, by its partner alone, in its currency alone', async () => {
    const trip = harness();
    const hash = `0x${'ab'.repeat(32)}`;
    await trip.payAccepted({ transaction_hash: hash });
    const check = (transaction_hash: string, partner = trip.partner, currency: string | null = null) =>
      new GetTransaction(trip.store, trip['vault'], trip.writer).run({
        partner_id: partner,
        currency,
        by: { transaction_hash },
      });
    for (const spelling of [
      hash,
      hash.slice(2),
      hash.toUpperCase(),
      hash.slice(2).toUpperCase(),
      `0X${hash.slice(2)}`,
    ]) {
      expect(await check(spelling)).toMatchObject({ ok: true, value: { id: trip.id, transaction_hash: hash } });
    }
    expect(await check(hash, trip.partner, 'KES')).toMatchObject({ ok: true });
    for (const nobody of [
      await check(hash, trip.partner + 1_000),
      await check(hash, trip.partner, 'UGX'),
      await check(nextHash()),
      await check('no hash'),
    ]) {
      expect(nobody).toMatchObject({ ok: false, error: { code: 'not_found' } });
    }
  });

  it('answers the same request with the same answer, first and later, and another one under its reference with 409', async () => {
    const trip = await harness().payAccepted();
    expect(await trip.ask()).toEqual({
      ok: true,
      value: {
        transaction_id: trip.id,
        status: 'PENDING',
        transaction_code: trip.code,
        message: 'Payment accepted and waiting for its deposit',
        replayed: true,
      },
    });
    const finder = new FindAcceptance(trip.store, trip.writer);
    expect(
      await finder.run({ partner_id: trip.partner, transaction_code: trip.code, fingerprint: 'v1:pay' }),
    ).toMatchObject({ ok: true, value: { acceptance: { transaction_id: trip.id, replayed: true } } });
    expect(await trip.ask({ fingerprint: 'v1:other', transaction_hash: nextHash() })).toMatchObject({
      ok: false,
      error: { code: 'reference_reused', transactionCode: trip.code },
    });
    expect(await outboxOf(trip.id)).toHaveLength(1);
  });
});

describe('one hash', () => {
  it('is one pay however many ask for it at once, each under a reference of its own; the others are told whose it is', async () => {
    const trip = harness();
    const there = new PayHarness({ ...pg, db: await pg.connect() });
    const codes = Array.from({ length: 20 }, () => uuidv7());
    const answers = await Promise.all(
      codes.map((transaction_code, i) =>
        (i % 2 ? trip : there).ask({ partner_id: trip.partner, transaction_hash: trip.hash, transaction_code }),
      ),
    );
    const [won] = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    for (const answer of answers) {
      if (!answer.ok)
        expect(answer.error).toMatchObject({
          code: 'hash_already_processed',
          message: expect.stringContaining('already been processed'),
          transactionCode: won!.transaction_code,
        });
    }
    // A 4xx leaves references free.
    const keys = await pg.db.query('select 1 from transaction_keys where partner_id = $1', [trip.partner]);
    expect([keys.length, await count('pays', won!.transaction_id)]).toEqual([1, 1]);
    const lost = codes.find((code) => code !== won!.transaction_code);
    expect(await trip.ask({ transaction_code: lost!, transaction_hash: nextHash() })).toMatchObject({ ok: true });
  });

  it('is free on another chain, and for another partner', async () => {
    const trip = await harness().payAccepted();
    expect(await trip.ask({ transaction_code: uuidv7(), chain: 'BASE' })).toMatchObject({ ok: true });
    expect(await harness().ask({ transaction_hash: trip.hash })).toMatchObject({ ok: true });
  });

  it('is taken by a repeat of the same body once, in one batch with its winner', async () => {
    const trip = harness();
    const taker = await harness().payAccepted();
    // Both lose the hash; the second finds the first's key and is judged again.
    const [first, again] = await Promise.all([
      trip.ask({ partner_id: taker.partner, transaction_hash: taker.hash, transaction_code: 'same' }),
      trip.ask({ partner_id: taker.partner, transaction_hash: taker.hash, transaction_code: 'same' }),
    ]);
    for (const answer of [first, again])
      expect(answer).toMatchObject({
        ok: false,
        error: { code: 'hash_already_processed', transactionCode: taker.code },
      });
    expect(await pg.db.query(`select 1 from transaction_keys where reference = 'same'`)).toEqual([]);
  });

  it('goes to the next where its winner falls in that very batch, and replays within it are replays', async () => {
    const quote_id = uuidv7();
    const used = await harness().payAccepted({ quote_id });
    const trip = harness();
    const [poor, next, replay] = await Promise.all([
      trip.ask({ partner_id: used.partner, transaction_code: 'a', quote_id }),
      trip.ask({ partner_id: used.partner, transaction_code: 'b' }),
      trip.ask({ partner_id: used.partner, transaction_code: 'b' }),
    ]);
    expect(poor).toMatchObject({ ok: false, error: { code: 'quote_used' } });
    expect([next, replay].map((answer) => answer.ok && answer.value.replayed).sort()).toEqual([false, true]);
    expect(await pg.db.query('select 1 from pays where transaction_hash = $1', [trip.hash])).toHaveLength(1);
  });

  it('released, is open to its partner again, and its owner keeps its row', async () => {
    const trip = await harness().payAccepted();
    await trip.unusable('no_matching_transfer', true);
    const next = await trip.ask({ transaction_code: uuidv7(), fingerprint: 'v1:later' });
    expect(next).toMatchObject({ ok: true });
    const found = await new GetTransaction(trip.store, trip['vault'], trip.writer).run({
      partner_id: trip.partner,
      currency: null,
      by: { transaction_hash: trip.hash },
    });
    expect(found).toMatchObject({ ok: true, value: { id: next.ok && next.value.transaction_id } });
    expect(await trip.row()).toMatchObject({ status: 'FAILED', transaction_hash: trip.hash });
    // A repeat of the failed request still gets its transaction.
    expect(await trip.ask()).toMatchObject({ ok: true, value: { transaction_id: trip.id, replayed: true } });
  });
});

describe('one quote', () => {
  it('is used once, however many ask at once', async () => {
    const quote_id = uuidv7();
    const trips = Array.from({ length: 20 }, harness);
    const answers = await Promise.all(trips.map((trip) => trip.ask({ quote_id })));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    for (const answer of answers) if (!answer.ok) expect(answer.error.code).toBe('quote_used');
    expect(await pg.db.query('select 1 from quote_uses where quote_id = $1', [quote_id])).toHaveLength(1);
    const loser = trips[answers.findIndex(({ ok }) => !ok)] as PayHarness;
    expect(await loser.ask()).toMatchObject({ ok: true, value: { replayed: false } });
  });

  it('goes back with a claim that is released', async () => {
    const quote_id = uuidv7();
    const trip = await harness().payAccepted({ quote_id });
    await trip.unusable('transfer_not_final', true);
    expect(await trip.ask({ transaction_code: uuidv7(), quote_id })).toMatchObject({ ok: true });
  });
});
