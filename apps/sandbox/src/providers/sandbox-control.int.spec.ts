import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { payoutTo, RunningProvider } from './running-provider.spec-support.js';

let simulator: RunningProvider;
beforeEach(async () => {
  simulator = await RunningProvider.start();
});
afterEach(() => simulator.remove());

const RECIPIENTS = {
  bank: { account_number: '0110120007', bank_code: '01' },
  mobile: { kind: 'mobile', shortcode: '0712340007', mobile_network: 'Safaricom' },
  paybill: { kind: 'paybill', shortcode: '247247', account_number: 'INV 0007' },
  till: { kind: 'till', shortcode: '5120007' },
} as const;

async function ended(id: string, account_number: string): Promise<void> {
  expect((await simulator.submit(id, account_number)).status).toBe(202);
  simulator.nowMs += 4_000;
}

describe('release', () => {
  it('pays what is held, once, and finds nothing to do elsewhere', async () => {
    await ended('held', '0110120004');
    await ended('paid', '0110121234');
    expect([
      await simulator.steer('held', 'release'),
      await simulator.steer('held', 'release'),
      await simulator.steer('paid', 'release'),
    ]).toEqual([true, false, false]);
    await simulator.restart();
    expect(await simulator.record('held')).toMatchObject({ status: 'PAID', name: 'TEST 0004' });
    expect((await simulator.book()).filter(({ id, status }) => id === 'held' && status === 'PAID')).toHaveLength(1);
  });
});

describe('pay', () => {
  it.each(['before a restart', 'after a restart'])('pays late what had failed, %s', async (when) => {
    await ended('gone', '0110120000');
    expect((await simulator.record('gone'))['status']).toBe('FAILED');
    if (when === 'after a restart') await simulator.restart();
    expect(await simulator.steer('gone', 'pay')).toBe(true);
    await simulator.restart();
    const record = await simulator.record('gone');
    expect(record).toMatchObject({ status: 'PAID', name: 'TEST 0000' });
    expect(record).not.toHaveProperty('code');
    expect((await simulator.book()).map(({ id, status }) => `${String(id)} ${String(status)}`)).toEqual(
      expect.arrayContaining(['gone ACCEPTED', 'gone FAILED', 'gone PAID']),
    );
  });

  it('pays again what was paid, under another receipt', async () => {
    await ended('paid', '0110121234');
    expect([await simulator.steer('paid', 'pay'), await simulator.steer('paid', 'pay')]).toEqual([true, true]);
    await simulator.restart();
    const { status, receipt, payments } = await simulator.record('paid');
    const receipts = (payments as { receipt: string; status: string }[]).map((payment) => payment.receipt);
    expect(status).toBe('PAID');
    expect(receipts[0]).toBe(receipt);
    expect(new Set(receipts).size).toBe(3);
    expect((await simulator.book()).flatMap((entry) => (entry['status'] === 'PAID' ? [entry['receipt']] : []))).toEqual(
      receipts,
    );
  });

  it('ends what is still on its way, for good', async () => {
    await simulator.submit('early', '0110120005');
    expect(await simulator.steer('early', 'pay')).toBe(true);
    simulator.nowMs += 3_600_000;
    await simulator.restart();
    const record = await simulator.record('early');
    expect(record).toMatchObject({ status: 'PAID' });
    expect(record).not.toHaveProperty('payments');
    expect((await simulator.call('GET', '/v1/balance')).body['currencies']).toEqual([
      { currency: 'KES', paid_out: '100.00', came_back: '0.00', in_process: '0.00' },
    ]);
  });
});

describe('reverse', () => {
  it('takes the last payment back that stands, until there is none', async () => {
    await ended('paid', '0110121234');
    expect(await simulator.record('paid')).toMatchObject({ status: 'PAID' });
    await simulator.steer('paid', 'pay');
    expect(await simulator.steer('paid', 'reverse')).toBe(true);
    expect(await simulator.record('paid')).toMatchObject({
      status: 'PAID',
      payments: [{ status: 'PAID' }, { status: 'REVERSED' }],
    });
    await simulator.restart();
    expect(await simulator.steer('paid', 'reverse')).toBe(true);
    expect(await simulator.record('paid')).toMatchObject({
      status: 'REVERSED',
      payments: [{ status: 'REVERSED' }, { status: 'REVERSED' }],
    });
    expect(await simulator.steer('paid', 'reverse')).toBe(false);
    expect((await simulator.call('GET', '/v1/balance')).body['currencies']).toEqual([
      { currency: 'KES', paid_out: '200.00', came_back: '200.00', in_process: '0.00' },
    ]);
  });

  it('before the number does it leaves the number nothing to do, also when paid again and read again', async () => {
    await simulator.submit('back', '0110120005');
    simulator.nowMs += 1_000;
    expect([await simulator.steer('back', 'reverse'), await simulator.steer('back', 'pay')]).toEqual([true, true]);
    simulator.nowMs += 3_000;
    const expected = { status: 'REVERSED', payments: [{ status: 'REVERSED' }, { status: 'PAID' }] };
    expect(await simulator.record('back')).toMatchObject(expected);
    await simulator.restart();
    expect(await simulator.record('back')).toMatchObject(expected);
  });

  it('finds nothing to do where nothing was paid', async () => {
    await ended('gone', '0110120000');
    expect(await simulator.steer('gone', 'reverse')).toBe(false);
  });
});

describe('float', () => {
  const NO_FLOAT = { status: 402, body: { code: 'INSUFFICIENT_FLOAT' } };
  const submit = (id: string, recipient: object, order?: string) =>
    simulator.call('POST', '/v1/payouts', {
      id,
      ...(order !== undefined && { order }),
      amount: '100.00',
      currency: 'KES',
      recipient,
    });
  const topUp = async (order: string, recipient: object): Promise<unknown> =>
    (await simulator.call('POST', '/v1/control/top-ups', { order, recipient, currency: 'KES' })).body['done'];

  it.each(Object.entries(RECIPIENTS))(
    'is for one order, whoever else is paid there, and given once (%s)',
    async (_kind, recipient) => {
      expect(await submit('a', recipient, 'o-1')).toMatchObject(NO_FLOAT);
      expect(await simulator.call('GET', '/v1/payouts/a')).toMatchObject({
        status: 404,
        body: { code: 'PAYOUT_NOT_FOUND' },
      });
      expect(await topUp('o-2', recipient)).toBe(true);
      expect(await submit('a', recipient, 'o-1')).toMatchObject(NO_FLOAT);
      expect(await submit('a', recipient)).toMatchObject(NO_FLOAT);
      expect([await topUp('o-1', recipient), await topUp('o-1', recipient)]).toEqual([true, false]);
      await simulator.restart();
      expect(await topUp('o-1', recipient)).toBe(false);
      expect((await submit('a', recipient, 'o-1')).status).toBe(202);
      expect((await submit('a', recipient, 'o-1')).body).toMatchObject({ status: 'DUPLICATE' });
      await simulator.restart();
      expect(await topUp('o-1', recipient)).toBe(false);
      expect(await submit('b', recipient, 'o-3')).toMatchObject(NO_FLOAT);
      expect((await submit('c', recipient, 'o-2')).status).toBe(202);
      simulator.nowMs += 1_000;
      expect(await simulator.record('a')).toMatchObject({ status: 'PAID', recipient, name: 'TEST 0007' });
      expect(await simulator.record('a')).not.toHaveProperty('order');
    },
  );

  it('is nothing to give to those who need none', async () => {
    expect(await topUp('o-1', { account_number: '0110121234', bank_code: '01' })).toBe(false);
    expect(await submit('a', RECIPIENTS.bank, 'o-1')).toMatchObject(NO_FLOAT);
  });
});

describe('the order', () => {
  it('is no part of what makes a repeated id the same payout, before and after a restart', async () => {
    const { order, ...without } = payoutTo('a', '0110121234') as Record<string, unknown>;
    expect((await simulator.call('POST', '/v1/payouts', without)).status).toBe(202);
    for (const body of [{ ...without, order }, { ...without, order: 'o-2' }, without]) {
      expect(await simulator.call('POST', '/v1/payouts', body)).toMatchObject({
        status: 200,
        body: { status: 'DUPLICATE' },
      });
      await simulator.restart();
    }
  });
});

describe('what the control does not have', () => {
  it('is refused by name', async () => {
    expect(await simulator.call('POST', '/v1/control/payouts/none/pay', {})).toMatchObject({
      status: 404,
      body: { code: 'PAYOUT_NOT_FOUND' },
    });
    await simulator.submit('a-1', '0110121234');
    expect(await simulator.call('POST', '/v1/control/payouts/a-1/constructor', {})).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    expect(
      await simulator.call('POST', '/v1/control/top-ups', {
        order: 'o/1',
        recipient: RECIPIENTS.till,
        currency: 'KES',
      }),
    ).toMatchObject({ status: 400 });
  });
});

describe('a provider that does not dedupe', () => {
  beforeEach(async () => {
    await simulator.remove();
    simulator = await RunningProvider.start({ profile: 'sandbox_b' });
  });

  it('pays an id as often as it comes, each in its time, and refuses other contents', async () => {
    expect((await simulator.submit('twice', '0110121234')).status).toBe(202);
    simulator.nowMs += 600;
    await simulator.restart();
    expect((await simulator.submit('twice', '0110121234')).status).toBe(202);
    expect(
      await simulator.call('POST', '/v1/payouts', { ...payoutTo('twice', '0110121234'), amount: '1' }),
    ).toMatchObject({
      status: 409,
      body: { code: 'ID_REUSED' },
    });
    simulator.nowMs += 400;
    expect(await simulator.record('twice')).not.toHaveProperty('payments');
    await simulator.restart();
    simulator.nowMs += 600;
    const { status, receipt, payments } = await simulator.record('twice');
    expect([status, payments]).toMatchObject(['PAID', [{ receipt, status: 'PAID' }, { status: 'PAID' }]]);
    expect(receipt).toMatch(/^SBB[0-9A-Z]{10}$/);
    expect((await simulator.book()).map((entry) => entry['status'])).toEqual(['ACCEPTED', 'ACCEPTED', 'PAID', 'PAID']);
  });

  it('releases every acceptance that is held', async () => {
    for (let i = 0; i < 2; i += 1) await simulator.submit('held', '0110120004');
    expect([await simulator.steer('held', 'release'), await simulator.steer('held', 'release')]).toEqual([true, false]);
    expect((await simulator.book()).filter((entry) => entry['status'] === 'PAID')).toHaveLength(2);
  });
});
