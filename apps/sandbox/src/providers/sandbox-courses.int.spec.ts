import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { drawn } from '@vuka/testing';

import { type ProfileId, PROFILES } from './book/provider-profile.js';
import { payoutTo, RunningProvider } from './running-provider.spec-support.js';
import { SANDBOX_NUMBERS } from './book/sandbox-numbers.js';

type Moment = readonly [atMs: number, status: string, more?: object];

const SUBMITTED: Moment = [0, 'PROCESSING'];
const PAID_AFTER_A_SECOND: readonly Moment[] = [SUBMITTED, [999, 'PROCESSING'], [1_000, 'PAID']];
const failed = (code: string, atMs = 1_000): readonly Moment[] => [
  SUBMITTED,
  [atMs - 1, 'PROCESSING'],
  [atMs, 'FAILED', { code }],
  [90_000, 'FAILED', { code }],
];

/** Repeats docs/partners/sandbox.md on purpose. 0002, 0003 and 0007 have submit tests of their own. */
const COURSES: Readonly<Record<string, readonly Moment[]>> = {
  '0000': failed('RECIPIENT_NOT_FOUND'),
  '0001': failed('REJECTED'),
  '0002': [SUBMITTED, [3_999, 'PROCESSING'], [4_000, 'PAID', { name: 'TEST 0002' }], [90_000, 'PAID']],
  '0003': failed('EXPIRED', 4_000),
  '0004': [SUBMITTED, [5_000, 'PROCESSING'], [3_600_000, 'PROCESSING']],
  '0005': [...PAID_AFTER_A_SECOND, [2_999, 'PAID'], [3_000, 'REVERSED'], [90_000, 'REVERSED']],
  '0006': [...PAID_AFTER_A_SECOND, [90_000, 'PAID', { name: undefined }]],
  '0007': PAID_AFTER_A_SECOND,
  '0008': [
    ...PAID_AFTER_A_SECOND,
    [2_999, 'PAID', { payments: undefined }],
    [3_000, 'PAID', { payments: [expect.anything(), expect.anything()] }],
  ],
  '0009': [
    [0, 'PROCESSING', { amount: '101.00' }],
    [999, 'PROCESSING'],
    [1_000, 'PAID', { amount: '101.00' }],
    [90_000, 'PAID'],
  ],
  '0010': failed('CHANNEL_UNAVAILABLE'),
  '1234': [...PAID_AFTER_A_SECOND, [90_000, 'PAID', { name: 'TEST 1234', payments: undefined }]],
};
const OF_SECOND_PROVIDER: Readonly<Record<string, readonly Moment[]>> = {
  ...COURSES,
  '0010': [...PAID_AFTER_A_SECOND, [90_000, 'PAID', { name: 'TEST 0010' }]],
};

let simulator: RunningProvider;
afterEach(() => simulator.remove());

/** The submit may not be answered. */
async function take(id: string, number: string): Promise<void> {
  const recipient = { account_number: `011012${number}`, bank_code: '01' };
  if (number === '0007')
    await simulator.call('POST', '/v1/control/top-ups', { order: 'o-1', recipient, currency: 'KES' });
  if (SANDBOX_NUMBERS[number]?.withholdsAnswer !== true) {
    expect((await simulator.submit(id, recipient.account_number)).status).toBe(202);
    return;
  }
  const impatient = AbortSignal.timeout(300);
  await expect(
    fetch(`${simulator.baseUrl}/v1/payouts`, {
      method: 'POST',
      headers: simulator.headers,
      body: JSON.stringify(payoutTo(id, recipient.account_number)),
      signal: impatient,
    }),
  ).rejects.toThrow('aborted');
}

describe.each(Object.keys(PROFILES) as ProfileId[])('the courses of %s', (profile) => {
  const courses = profile === 'sandbox' ? COURSES : OF_SECOND_PROVIDER;
  beforeEach(async () => {
    simulator = await RunningProvider.start({ profile });
  });

  it('are documented for every number', () => {
    expect(Object.keys(courses).sort()).toEqual([...Object.keys(SANDBOX_NUMBERS), '1234'].sort());
  });

  const runsOfEach = Object.keys(courses).flatMap(
    (number) =>
      [
        [number, 'in one run'],
        [number, 'with a restart at every moment'],
      ] as const,
  );
  it.each(drawn(`courses of ${profile}`, runsOfEach, 8))('%s, %s', async (number, runs) => {
    const begunMs = simulator.nowMs;
    await take('a-1', number);
    for (const [atMs, status, more] of courses[number] ?? []) {
      simulator.nowMs = begunMs + atMs;
      if (runs !== 'in one run') await simulator.restart();
      expect({ name: undefined, payments: undefined, ...(await simulator.record('a-1')) }).toMatchObject({
        status,
        ...more,
      });
    }
    const record = await simulator.record('a-1');
    const book = await simulator.book();
    await simulator.restart();
    expect(await simulator.record('a-1')).toEqual(record);
    expect(await simulator.book()).toEqual(book);
    const balance = (await simulator.call('GET', '/v1/balance')).body['currencies'];
    expect(balance).toEqual([{ currency: 'KES', ...sumsOf(book) }]);
  });
});

function sumsOf(book: readonly Record<string, unknown>[]): object {
  const sum = (statuses: readonly string[]): number =>
    book
      .filter(({ status }) => statuses.includes(status as string))
      .reduce((total, { amount }) => total + Number(amount), 0);
  const isOpen = !book.some(({ status }) => status !== 'ACCEPTED');
  return {
    paid_out: sum(['PAID']).toFixed(2),
    came_back: sum(['REVERSED']).toFixed(2),
    in_process: isOpen ? sum(['ACCEPTED']).toFixed(2) : '0.00',
  };
}

describe('payouts beside each other', () => {
  it('each end by their own time: one that waits long holds up no other', async () => {
    simulator = await RunningProvider.start();
    await simulator.submit('held', '0110120004');
    await take('slow', '0002');
    await simulator.submit('quick', '0110121234');
    simulator.nowMs += 1_000;
    expect((await simulator.record('quick'))['status']).toBe('PAID');
    expect((await simulator.record('slow'))['status']).toBe('PROCESSING');
    await simulator.restart();
    simulator.nowMs += 3_000;
    expect((await simulator.record('slow'))['status']).toBe('PAID');
    expect((await simulator.record('held'))['status']).toBe('PROCESSING');
  });
});

describe('a currency without decimals', () => {
  it('keeps its amounts as they are spelled, and 0009 has one whole unit more', async () => {
    simulator = await RunningProvider.start();
    const pay = (id: string, account_number: string) =>
      simulator.call('POST', '/v1/payouts', { ...payoutTo(id, account_number), amount: '1500', currency: 'UGX' });
    expect([(await pay('whole', '0110121234')).status, (await pay('more', '0110120009')).status]).toEqual([202, 202]);
    simulator.nowMs += 1_000;
    await simulator.restart();
    expect([await simulator.record('whole'), await simulator.record('more')]).toMatchObject([
      { status: 'PAID', amount: '1500' },
      { status: 'PAID', amount: '1501.00' },
    ]);
    expect((await simulator.call('GET', '/v1/balance')).body['currencies']).toEqual([
      { currency: 'UGX', paid_out: '3001.00', came_back: '0.00', in_process: '0.00' },
    ]);
  });
});
