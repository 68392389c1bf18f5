import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type PayoutInstruction, paystackProvider, type PaystackProvider, type StatementEntry } from '@vuka/payouts';

import { HOUR_MS, MINUTE_MS, RunningPaystack, SECRET } from './simulator.spec-support.js';

const FEE = 1_000n;

function to(digits: string): PayoutInstruction {
  const destination = {
    kind: 'bank',
    account_number: `012345${digits}`,
    bank_code: '044',
    bank_name: 'Access Bank',
  } as const;
  return { attemptId: randomUUID(), orderId: randomUUID(), amount: { minor: 1_500_00n, currency: 'NGN' }, destination };
}

describe('the Paystack adapter reads the list of transfers', () => {
  let paystack: RunningPaystack;
  let provider: PaystackProvider;
  let cursor: string | null;
  const connect = (): PaystackProvider =>
    paystackProvider({ baseUrl: paystack.baseUrl, credential: SECRET, callTimeoutMs: 5_000, clock: paystack.clock });

  /** As payments does each minute, until nothing is left. */
  async function read(): Promise<StatementEntry[]> {
    await paystack.control.moveClock(MINUTE_MS);
    const entries: StatementEntry[] = [];
    for (let more = true; more;) {
      const page = await provider.statement(cursor);
      expect(page).toMatchObject({ unreadable: 0 });
      expect(page).not.toHaveProperty('trouble');
      entries.push(...(page?.entries ?? []));
      cursor = page?.next ?? cursor;
      more = page?.more ?? false;
    }
    return entries;
  }
  async function pay(digits: string): Promise<PayoutInstruction> {
    const payout = to(digits);
    await provider.submit(payout);
    return payout;
  }

  beforeEach(async () => {
    paystack = await RunningPaystack.start({ feesMinor: { default: FEE } });
    provider = connect();
    cursor = null;
  });
  afterEach(async () => {
    await provider.close();
    await paystack.remove();
  });

  it('tells each end once, with the receipt that the status has, and nothing of what is under way', async () => {
    const [paid, failed, pending] = [await pay('1234'), await pay('0109'), await pay('0105')];
    const entries = await read();
    const status = await provider.query(paid);
    expect(status).toMatchObject({ outcome: 'succeeded' });
    expect(entries).toHaveLength(2);
    expect(entries).toContainEqual({
      attemptId: paid.attemptId,
      event: 'paid',
      receipt: 'receipt' in status ? status.receipt : '',
      amount: paid.amount,
      fee: { minor: FEE, currency: 'NGN' },
    });
    expect(entries).toContainEqual({ attemptId: failed.attemptId, event: 'not_paid', receipt: expect.any(String) });
    expect(await read()).toEqual([]);
    expect(await provider.query(pending)).toMatchObject({ outcome: 'submitted' });
  });

  it('tells another amount, and what came back soon', async () => {
    const [other, returned] = [await pay('0202'), await pay('0108')];
    const first = await read();
    expect(first).toContainEqual(expect.objectContaining({ attemptId: other.attemptId, amount: { minor: other.amount.minor + 100n, currency: 'NGN' } })); // prettier-ignore
    expect(first).toContainEqual(expect.objectContaining({ attemptId: returned.attemptId, event: 'paid' }));
    await paystack.control.moveClock(5 * MINUTE_MS);
    expect(await read()).toMatchObject([{ attemptId: returned.attemptId, event: 'reversed' }]);
  });

  it('tells what is listed late, and what was made while nobody read', async () => {
    const hidden = await pay('0206');
    expect(await read()).toEqual([]);
    await paystack.control.moveClock(14 * MINUTE_MS);
    expect(await read()).toMatchObject([{ attemptId: hidden.attemptId, event: 'paid' }]);
    const unread = await pay('1234');
    await paystack.control.moveClock(30 * HOUR_MS);
    expect(await read()).toMatchObject([{ attemptId: unread.attemptId, event: 'paid' }]);
  });

  it('goes through all pages, on where another process was', async () => {
    const payouts: string[] = [];
    for (let count = 0; count < 105; count++) payouts.push((await pay('1234')).attemptId);
    await paystack.control.moveClock(MINUTE_MS);
    // Parts before those payouts are empty.
    const told: string[] = [];
    for (let more = true; more;) {
      const page = await provider.statement(cursor);
      told.push(...(page?.entries ?? []).map(({ attemptId }) => attemptId));
      ({ next: cursor, more } = page ?? { next: cursor, more: false });
      await provider.close();
      provider = connect();
    }
    expect(told).toHaveLength(105);
    expect(new Set(told)).toEqual(new Set(payouts));
  });
});
