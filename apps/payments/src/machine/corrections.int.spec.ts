import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { money } from '@vuka/domain';
import type { Envelope, StatusRow } from '@vuka/contracts';
import type { ProviderAnswer, ProviderPayment } from '@vuka/payouts';

import { fundProviders, PayHarness } from '../testing/pay-harness.spec-support.js';
import { AMOUNT, Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { ADDRESS, RefundHarness } from '../testing/refund-harness.spec-support.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';

/** Paid after an end without payment: the row says so, and the partner hears it once. */
let pg: PaymentsDatabase;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  await fundProviders(pg);
}, 60_000);
afterAll(() => pg.stopWhole());

const REFUSED: ProviderAnswer = { outcome: 'not_paid', code: 'rail_rejected', routeLeft: false, detail: '' };
const stands = (receipt: string): ProviderPayment => ({ receipt, reversed: false });
const gone = (receipt: string): ProviderPayment => ({ receipt, reversed: true });

function listing(first: ProviderPayment, ...otherPayments: ProviderPayment[]): ProviderAnswer {
  return first.reversed
    ? { outcome: 'reversed', receipt: first.receipt, publicName: null, detail: '', otherPayments }
    : {
        outcome: 'succeeded',
        receipt: first.receipt,
        publicName: null,
        amount: money(AMOUNT, 'KES'),
        recipient: '1',
        otherPayments,
      };
}

async function hears(trip: Harness, ...payments: [ProviderPayment, ...ProviderPayment[]]): Promise<void> {
  trip.clock.advance(10_000);
  trip.provider!.will(listing(...payments));
  expect(await trip.call('watch')).toBe(1);
}

async function failed(): Promise<Harness> {
  const trip = await (await new Harness(pg, new ScriptedProvider([REFUSED])).accepted()).start();
  await trip.call('submit');
  return trip;
}

async function complete(): Promise<Harness> {
  const trip = await (await new Harness(pg, new ScriptedProvider([listing(stands('R1'))])).accepted()).start();
  await trip.call('submit');
  return trip;
}

async function correction(trip: Harness): Promise<StatusRow['correction']> {
  return (await trip.row()).correction;
}

async function postedAt(
  trip: Harness,
  receipt: string,
  column: 'posted_at' | 'unwound_at' = 'posted_at',
): Promise<string> {
  const [row] = await pg.db.query<{ at: Date }>(
    `select ${column} as at from duplicate_payment where transaction_id = $1 and receipt_number = $2`,
    [trip.id, receipt],
  );
  if (!row) throw new Error(`${receipt} is not on record`);
  return row.at.toISOString();
}

async function corrections(trip: Harness): Promise<Envelope<'transaction.corrected'>[]> {
  const rows = await pg.db.query<{ envelope: string }>(
    `select envelope from outbox where key = $1 and topic = 'payments.transaction.events.v1' order by id`,
    [String(trip.id)],
  );
  return rows
    .map(({ envelope }) => JSON.parse(envelope) as Envelope<'transaction.corrected'>)
    .filter(({ type }) => type === 'transaction.corrected');
}

describe('a FAILED transaction that turns out to be paid', () => {
  it('has a correction, and its partner is told once, in the commit of duplicate_payment', async () => {
    const trip = await failed();
    expect([await correction(trip), (await trip.row()).failure_code]).toEqual(['', 'rail_rejected']);
    await hears(trip, stands('R9'));
    const at = await postedAt(trip, 'R9');
    expect([await correction(trip), (await trip.row()).status, (await trip.row()).receipt_number]).toEqual([
      { reason: 'paid_after_failure', receipt_number: 'R9', amount: '500.00', at },
      'FAILED',
      null,
    ]);
    expect(await trip.told()).toEqual([
      ['transaction.processing', 1, 'PROCESSING'],
      ['transaction.failed', 2, 'FAILED'],
      ['transaction.corrected', 3, 'FAILED'],
    ]);
    const [event] = await corrections(trip);
    expect(event).toMatchObject({
      key: String(trip.id),
      sequence: 3,
      producer: 'payments',
      correlationId: 'r-1',
      causationId: '00-1',
      data: {
        transaction_id: trip.id,
        partner_id: trip.partner,
        callback_url: 'https://x.test/?a=1',
        public_sequence: 3,
      },
    });
    const { message } = await trip.row();
    expect(message).toContain('made after all');
    expect(event?.data.payload).toEqual({
      status: 'FAILED',
      transaction_code: trip.code,
      message,
      failure_code: 'rail_rejected',
      correction: { reason: 'paid_after_failure', receipt_number: 'R9', amount: '500.00', at: expect.any(String) },
    });
    expect((await trip.store.byId(trip.id))?.life).toMatchObject({
      state: 'FAILED',
      publicSequence: 3,
      failureCode: 'rail_rejected',
    });
  });

  it('is told of neither the same payment again, nor of another one, nor that this came back', async () => {
    const trip = await failed();
    await hears(trip, stands('R9'));
    const first = await correction(trip);
    await hears(trip, stands('R9'));
    await hears(trip, stands('R9'), stands('R10'));
    expect([await correction(trip), await trip.debt()]).toEqual([first, 2n * AMOUNT]);
    await hears(trip, stands('R9'), gone('R10'));
    expect([await correction(trip), await trip.debt()]).toEqual([first, AMOUNT]);
    expect((await corrections(trip)).length).toBe(1);
  });

  it('that came back as well says so on its row, and nobody is told', async () => {
    const trip = await failed();
    await hears(trip, stands('R9'));
    await hears(trip, gone('R9'));
    const at = await postedAt(trip, 'R9', 'unwound_at');
    expect(await correction(trip)).toEqual({
      reason: 'reversed_after_failure',
      receipt_number: 'R9',
      amount: '500.00',
      at,
    });
    expect([(await corrections(trip)).length, (await trip.row()).status, await trip.debt()]).toEqual([1, 'FAILED', 0n]);
    expect((await trip.row()).message).toContain('The money was not sent');
    await hears(trip, gone('R9'), stands('R10'));
    expect(await correction(trip)).toMatchObject({ reason: 'paid_after_failure', receipt_number: 'R10' });
    expect((await corrections(trip)).length).toBe(1);
  });

  it('says what its recipient got: its amount less the markup', async () => {
    const trip = await new PayHarness(pg, new ScriptedProvider([REFUSED])).payAccepted({ fee_minor: '5050' });
    await trip.verified(trip.facts());
    await trip.start();
    await trip.call('submit');
    await hears(trip, stands('R9'));
    expect(await correction(trip)).toMatchObject({
      reason: 'paid_after_failure',
      receipt_number: 'R9',
      amount: '449.50',
    });
    expect((await corrections(trip))[0]?.data.payload.correction).toMatchObject({ amount: '449.50' });
  });
});

/** Funded by its deposit: no `duplicate_payment` and no debt. */
describe('a FAILED pay that turns out to be paid before its refund is granted', () => {
  async function failedPay(): Promise<RefundHarness> {
    const trip = new RefundHarness(pg, new ScriptedProvider([REFUSED]));
    await trip.failedPay();
    return trip;
  }

  it('has a correction, keeps its status, and its partner is told once, in the commit of payout_settled', async () => {
    const trip = await failedPay();
    const before = await trip.row();
    await hears(trip, stands('R1'));
    const [posting] = await pg.db.query<{ at: Date }>(`select at from postings where reference = $1`, [
      `payout-settled:${trip.id}`,
    ]);
    const told = {
      reason: 'paid_after_failure',
      receipt_number: 'R1',
      amount: '500.00',
      at: posting?.at.toISOString(),
    };
    const row = await trip.row();
    expect(row).toEqual({
      ...before,
      correction: told,
      refund: 'FAILED',
      message: expect.stringContaining('the deposit has paid for it, and nothing is sent back'),
      updated_at: expect.anything(),
    });
    expect([row.status, row.failure_code, row.receipt_number]).toEqual(['FAILED', 'rail_rejected', null]);
    expect(await trip.told()).toEqual([
      ['transaction.processing', 1, 'PROCESSING'],
      ['transaction.failed', 2, 'FAILED'],
      ['transaction.corrected', 3, 'FAILED'],
    ]);
    expect((await corrections(trip))[0]?.data.payload).toEqual({
      status: 'FAILED',
      transaction_code: trip.code,
      message: row.message,
      failure_code: 'rail_rejected',
      correction: told,
    });
    expect(await trip.debt()).toBe(0n);
  });

  it("is told of neither the same payment again, nor of a second one, which is the provider's fault", async () => {
    const trip = await failedPay();
    await hears(trip, stands('R1'));
    const first = await correction(trip);
    await hears(trip, stands('R1'), stands('R2'));
    await hears(trip, stands('R1'), stands('R2'));
    expect([await correction(trip), (await corrections(trip)).length, await trip.debt()]).toEqual([first, 1, 0n]);
    expect(
      (await trip.posted()).filter((kind) =>
        /^(payout_settled|shortfall_covered|duplicate_payment|receivable_collected)/.test(kind),
      ),
    ).toEqual(['payout_settled', 'duplicate_payment_ours']);
  });

  it('that comes back says so on its row, gives the value to the wallet (payout_reversed), and tells nobody', async () => {
    const trip = await failedPay();
    await hears(trip, stands('R1'));
    const paid = await trip.row();
    await hears(trip, gone('R1'));
    const [posting] = await pg.db.query<{ at: Date }>(`select at from postings where reference = $1`, [
      `payout-reversed:${trip.id}`,
    ]);
    const row = await trip.row();
    expect(row).toEqual({
      ...paid,
      correction: {
        reason: 'reversed_after_failure',
        receipt_number: 'R1',
        amount: '500.00',
        at: posting?.at.toISOString(),
      },
      message: expect.stringContaining('The money was not sent'),
      updated_at: expect.anything(),
    });
    expect([
      (await corrections(trip)).length,
      row.status,
      (await trip.depositStates()).map(([, state]) => state),
    ]).toEqual([1, 'FAILED', ['credited']]);
    expect(await trip.money()).toMatchObject({ refunding: 0n, wallet: 500_07n, owed: 0n });
    await hears(trip, gone('R1'));
    expect([await trip.row(), (await trip.posted()).filter((kind) => kind === 'payout_reversed').length]).toEqual([
      row,
      1,
    ]);
  });

  it('says what its recipient got: its amount less the markup', async () => {
    const trip = new RefundHarness(pg, new ScriptedProvider([REFUSED]));
    await trip.payAccepted({ refund_address: ADDRESS, fee_minor: '5050' });
    await (await trip.verified(trip.facts({ received_minor: '3866000' }))).start();
    await trip.call('submit');
    await hears(trip, stands('R1'));
    expect(await correction(trip)).toMatchObject({ reason: 'paid_after_failure', amount: '449.50' });
    expect((await corrections(trip))[0]?.data.payload.correction).toMatchObject({ amount: '449.50' });
  });
});

describe('a REVERSED transaction that turns out to be paid', () => {
  it('by a payment after that', async () => {
    const trip = await complete();
    await hears(trip, gone('R1'));
    expect([await trip.state(), await correction(trip)]).toEqual(['REVERSED', '']);
    await hears(trip, gone('R1'), stands('R2'));
    expect(await correction(trip)).toMatchObject({ reason: 'paid_after_failure', receipt_number: 'R2' });
    expect((await trip.told()).slice(-2)).toEqual([
      ['transaction.reversed', 3, 'REVERSED'],
      ['transaction.corrected', 4, 'REVERSED'],
    ]);
    const payload = (await corrections(trip))[0]?.data.payload;
    expect(payload).toMatchObject({ status: 'REVERSED', receipt_number: 'R1', correction: { receipt_number: 'R2' } });
    expect(payload).not.toHaveProperty('failure_code');
  });

  it('by a second payment that was ours to settle until the first came back', async () => {
    const trip = await complete();
    await hears(trip, stands('R1'), stands('R2'));
    expect([await trip.state(), await correction(trip), (await corrections(trip)).length]).toEqual(['COMPLETE', '', 0]);
    await hears(trip, gone('R1'), stands('R2'));
    expect([await trip.posted(), await trip.debt()]).toEqual([
      expect.arrayContaining(['payout_reversed', 'duplicate_payment_owed']),
      AMOUNT,
    ]);
    expect(await correction(trip)).toMatchObject({ reason: 'paid_after_failure', receipt_number: 'R2' });
    expect((await trip.told()).slice(-2)).toEqual([
      ['transaction.reversed', 3, 'REVERSED'],
      ['transaction.corrected', 4, 'REVERSED'],
    ]);
  });
});

describe('a payment that screening has stopped', () => {
  it('is told to be held, once, beside that it is under way', async () => {
    const trip = await new PayHarness(pg).payAccepted();
    const deposit = trip.facts({ received_minor: '3866000' });
    const verdict = trip.event('deposit.verified', {
      deposit,
      also: [],
      rate: '129.3517',
      quote_passed_over: null,
      screening_hit: true,
    });
    await trip.tell(verdict);
    await trip.tell(verdict);
    expect(await trip.told()).toEqual([
      ['transaction.processing', 1, 'PROCESSING'],
      ['transaction.held', 2, 'PROCESSING'],
    ]);
    expect((await trip.store.byId(trip.id))?.life).toMatchObject({ state: 'REVIEW', publicSequence: 2 });
  });

  it('that was seen before is told to be held alone; what a provider answers otherwise is not', async () => {
    const seen = await new PayHarness(pg).payAccepted();
    await seen.seen();
    await seen.verified(seen.facts({ received_minor: '3866000' }), { screening_hit: true });
    expect((await seen.told()).map(([type]) => type)).toEqual(['transaction.processing', 'transaction.held']);
    const other = await (
      await new Harness(pg, new ScriptedProvider([{ outcome: 'mismatch', detail: '' }])).accepted()
    ).start();
    await other.call('submit');
    expect([await other.state(), (await other.told()).map(([type]) => type)]).toEqual([
      'REVIEW',
      ['transaction.processing'],
    ]);
  });
});
