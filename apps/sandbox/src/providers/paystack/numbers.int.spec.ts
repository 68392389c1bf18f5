import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { NUMBERS } from './behaviour/numbers.js';
import { CALL_REFUSALS, FAILURE_TEXTS, REFUSALS } from './behaviour/refusals.js';
import {
  type Answer,
  type Body,
  HOUR_MS,
  MINUTE_MS,
  recipientOf,
  referenceOf,
  RunningPaystack,
  SECRET,
  transferTo,
} from './simulator.spec-support.js';

const DUPLICATE = 'duplicate_transfer_reference';

/** What a merchant gets, and what has become of it two hours later. */
interface Expected {
  readonly first: Partial<Omit<Answer, 'body'>> & { readonly body?: object | null };
  /** `message` of a second call with the same reference. */
  readonly second: string;
  /** Status after two hours; undefined: not found. */
  readonly end: string | undefined;
  /** Payments that stand, second call included. */
  readonly paid: number;
}

const QUEUED = 'Transfer has been queued';
const AGAIN = REFUSALS.duplicate.message;
const ok = { first: { status: 200, body: { status: true, message: QUEUED } }, second: AGAIN } as const;
const paid: Expected = { ...ok, end: 'success', paid: 1 };
const ends = (end: string): Expected => ({ ...ok, end, paid: 0 });
const says = (status: number, body: object | null, then: Partial<Expected> = {}): Expected => ({
  ...paid,
  first: { status, body },
  ...then,
});
const UNTAKEN = { second: QUEUED };
const refusal = (code: string) => ({ status: false, code });
const data = (change: object) => ({ status: true, data: change });

/** The connection breaks. */
const BROKEN = { breaks: paid, 'breaks, untaken': { ...paid, ...UNTAKEN }, 'breaks, unpaid': ends('failed') };

const EXPECTED: Readonly<Record<string, Expected | keyof typeof BROKEN>> = {
  '0001': 'breaks',
  '0002': 'breaks, untaken',
  '0004': says(200, null),
  '0005': says(200, null, UNTAKEN),
  '0006': says(500, { status: false }),
  '0007': says(500, { status: false }, UNTAKEN),
  '0008': says(429, { status: false, message: 'Please wait a few minutes and try again.' }, UNTAKEN),
  '0009': says(401, refusal('invalid_Key'), UNTAKEN),
  '0010': says(502, null),
  '0011': says(200, null),
  '0012': says(200, null),
  '0013': says(200, data({ status: 'unheard_of' })),
  '0014': says(200, data({ reference: 'another-reference-0001' })),
  '0015': 'breaks, unpaid',
  '0016': says(400, refusal(DUPLICATE)),
  '0017': says(400, refusal(DUPLICATE), { end: undefined, paid: 0 }),
  '0018': 'breaks',
  '0019': says(400, refusal('invalid_transfer_recipient'), UNTAKEN),
  '0020': says(404, refusal('unknown')),
  '0021': says(404, refusal('unknown'), { end: undefined, paid: 0, second: 'Duplicate reference(s) found: ' }),
  '0022': { ...paid, second: 'Duplicate reference(s) found: ' },
  '0023': says(200, data({ status: 'success' }), { end: 'failed', paid: 0 }),
  '0024': says(200, { status: false, message: QUEUED }),
  '0101': {
    ...ends('abandoned'),
    first: { status: 200, body: { message: 'Transfer requires OTP to continue', data: { status: 'otp' } } },
  },
  '0102': says(200, data({ status: 'received' })),
  '0103': paid,
  '0104': ends('failed'),
  '0105': ends('pending'),
  '0106': ends('pending'),
  '0107': paid,
  '0108': ends('reversed'),
  '0109': ends('abandoned'),
  '0110': ends('blocked'),
  '0111': ends('rejected'),
  '0112': ends('reversed'),
  '0113': paid,
  '0114': ends('failed'),
  '0115': says(200, data({ status: 'received' }), { end: 'received', paid: 0 }),
  '0116': paid,
  '0117': ends('failed'),
  ...Object.fromEntries(
    Array.from({ length: 16 }, (_, index) => [String(201 + index).padStart(4, '0'), paid] as const),
  ),
  '0210': ends('failed'),
  '0214': ends('failed'),
  '0216': ends('failed'),
  ...Object.fromEntries(
    Array.from({ length: 16 }, (_, index) => [String(301 + index).padStart(4, '0'), paid] as const),
  ),
  '0311': ends('failed'),
  '0314': ends('pending'),
  ...Object.fromEntries(['0602', '0603', '0604', '0605', '0606'].map((digits) => [digits, paid] as const)),
};

const refused = CALL_REFUSALS.map((name, index) => ({ name, digits: String(401 + index).padStart(4, '0') }));
const failing = FAILURE_TEXTS.map((text, index) => ({ text, digits: String(501 + index).padStart(4, '0') }));
const BY_THEMSELVES = ['0003', '0601', '0701', '0702', '0703', '0704', '0705', '0706'];

describe('answers that come late', () => {
  it.each([
    ['0606', '/bank/resolve?account_number=0123450606&bank_code=044', 'GET'],
    ['0702', '/transferrecipient', 'POST'],
  ] as const)('%s is answered after the time that is set', async (digits, path, method) => {
    const paystack = await RunningPaystack.start({ holdMs: 120 });
    try {
      const askedAt = performance.now();
      const body = method === 'POST' ? recipientOf(digits) : undefined;
      expect((await paystack.call(method, path, body)).body.status).toBe(true);
      expect(performance.now() - askedAt).toBeGreaterThan(100);
    } finally {
      await paystack.remove();
    }
  });
});

describe('the numbers', () => {
  let paystack: RunningPaystack;
  beforeAll(async () => {
    paystack = await RunningPaystack.start();
  });
  afterAll(() => paystack.remove());

  it('are all tried here', () => {
    const tried = [...Object.keys(EXPECTED), ...BY_THEMSELVES, ...[...refused, ...failing].map(({ digits }) => digits)];
    expect(Object.keys(NUMBERS).sort()).toEqual(tried.sort());
    expect(paystack.control.numbers()['0105']).toBe('Pending for ever.');
  });

  it.each(Object.entries(EXPECTED))('%s does what it says', async (digits, expected) => {
    const reference = referenceOf(`each ${digits}`);
    const first = paystack.pay(digits, reference);
    if (typeof expected === 'string') await expect(first).rejects.toThrow();
    else expect(await first).toMatchObject(expected.first);
    const { second, end, paid: times } = typeof expected === 'string' ? BROKEN[expected] : expected;
    const again = await paystack.pay(digits, reference);
    expect(String(again.body.message).replace(reference, '')).toBe(second);
    await paystack.control.moveClock(2 * HOUR_MS);
    expect((await paystack.record(reference))?.status).toBe(end);
    expect(paystack.standing(reference)).toBe(times);
  });

  it.each(refused)('$digits is refused as $name, every time', async ({ name, digits }) => {
    const { http, message } = REFUSALS[name];
    for (let call = 0; call < 2; call += 1)
      expect(await paystack.pay(digits)).toMatchObject({ status: http, body: { status: false, message } });
    expect((await paystack.verify(referenceOf(digits))).status).toBe(404);
    expect(paystack.control.payments(referenceOf(digits))).toEqual([]);
  });

  it.each(failing)('$digits fails with "$text"', async ({ text, digits }) => {
    const reference = referenceOf(digits);
    expect((await paystack.pay(digits)).body).toMatchObject({ status: true });
    await paystack.control.moveClock(MINUTE_MS);
    const said = { status: 'failed', gateway_response: text === '' ? null : text };
    expect(await paystack.record(reference)).toMatchObject(said);
    expect(paystack.heardOf(reference)).toMatchObject([{ body: { event: 'transfer.failed' } }]);
  });

  it('0003 is taken and paid while its caller waits', async () => {
    const reference = referenceOf('0003');
    const recipient = await paystack.recipient('0003');
    const waiting = new AbortController();
    const answer = fetch(`${paystack.baseUrl}/transfer`, {
      method: 'POST',
      headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify(transferTo(recipient, reference)),
      signal: waiting.signal,
    });
    const heard = expect(answer).rejects.toThrow();
    while (paystack.control.submits(reference) === 0) await new Promise(setImmediate);
    await paystack.control.moveClock(MINUTE_MS);
    expect((await paystack.pay('0003')).body).toMatchObject({ code: DUPLICATE });
    waiting.abort();
    await heard;
    expect(paystack.control.payments(reference)).toHaveLength(1);
  });

  it('07xx answer otherwise about the recipient, the first time', async () => {
    const ask = (digits: string) => paystack.call('POST', '/transferrecipient', recipientOf(digits));
    await expect(ask('0701')).rejects.toThrow();
    expect(await ask('0703')).toMatchObject({ status: 200, body: null });
    expect((await ask('0704')).status).toBe(500);
    expect((await ask('0705')).status).toBe(429);
    for (const digits of ['0701', '0703', '0704', '0705']) {
      const { body } = await ask(digits);
      expect(body.data.details.account_number).toBe(`012345${digits}`);
      expect((await ask(digits)).body.data.recipient_code).toBe(body.data.recipient_code);
    }
    expect((await ask('0706')).body.data.details.account_number).not.toBe('0123450706');
  });

  const after = async (digits: string, ms: number): Promise<Body> => {
    const reference = referenceOf(`after ${digits} ${ms}`);
    await paystack.pay(digits, reference);
    await paystack.control.moveClock(ms);
    return paystack.record(reference);
  };

  it.each([
    ['0101', MINUTE_MS, 'otp'],
    ['0102', MINUTE_MS, 'received'],
    ['0103', MINUTE_MS, 'pending'],
    ['0107', MINUTE_MS, 'failed'],
    ['0108', MINUTE_MS, 'success'],
    ['0113', 1_000, 'unheard_of'],
    ['0116', 19 * MINUTE_MS, 'pending'],
    ['0117', MINUTE_MS, 'success'],
  ])('%s is in between %s ms later %s', async (digits, ms, status) => {
    expect(await after(digits, ms)).toMatchObject({ status });
  });

  it('0106 goes on when it is released', async () => {
    await after('0106', MINUTE_MS);
    const reference = referenceOf(`after 0106 ${MINUTE_MS}`);
    expect(await paystack.control.steer(reference, 'release')).toBe(true);
    expect(await paystack.control.steer(reference, 'release')).toBe(false);
    expect(await paystack.record(reference)).toMatchObject({ status: 'success' });
  });

  it('0108 gives the money back, and the book keeps the payment', async () => {
    await after('0108', HOUR_MS);
    const reference = referenceOf(`after 0108 ${HOUR_MS}`);
    expect(paystack.control.payments(reference)).toMatchObject([{ reversed: true }]);
    expect(paystack.heardOf(reference).map(({ body }) => body['event'])).toEqual([
      'transfer.success',
      'transfer.reversed',
    ]);
  });

  it('02xx say in the record what is not so, and nothing else', async () => {
    const honest = await after('1234', MINUTE_MS);
    expect(honest.session).toMatchObject({ provider: 'nip', id: expect.stringMatching(/^\d{30}$/) });
    expect((await after('0201', MINUTE_MS)).session).toEqual({ provider: null, id: null });
    expect(await after('0202', MINUTE_MS)).toMatchObject({ amount: 150_100, currency: 'NGN' });
    const other = await after('0203', MINUTE_MS);
    expect(other.recipient.details.account_number).not.toBe('0123450203');
    expect(other.recipient.details.account_number).toMatch(/0203$/);
    expect((await after('0204', MINUTE_MS)).currency).not.toBe('NGN');
    expect((await after('0205', MINUTE_MS)).recipient.details.bank_code).not.toBe('044');
    expect((await after('0209', MINUTE_MS)).recipient.recipient_code).toBe('RCP_0000000000');
    expect(await after('0210', MINUTE_MS)).toMatchObject({
      gateway_response: null,
      failures: { message: 'System Malfunction' },
    });
    const snake = await after('0212', MINUTE_MS);
    expect([snake.created_at, snake.recipient.created_at]).toEqual([expect.any(String), expect.any(String)]);
    expect([snake.createdAt, snake.recipient.createdAt]).toEqual([undefined, undefined]);
    expect((await after('0213', MINUTE_MS)).reference).toBe('another-reference-0001');
    expect((await after('0214', MINUTE_MS)).session.id).toMatch(/^\d{30}$/);
  });

  it('0206 is not found for fourteen minutes, though it is paid, nor in the list', async () => {
    const reference = referenceOf(`after 0206 ${13 * MINUTE_MS}`);
    expect(await after('0206', 13 * MINUTE_MS)).toBeUndefined();
    const listed = async (): Promise<boolean> =>
      ((await paystack.call('GET', '/transfer?perPage=100')).body.data as { reference: string }[]).some(
        (one) => one.reference === reference,
      );
    expect(await listed()).toBe(false);
    expect(paystack.control.payments(reference)).toHaveLength(1);
    await paystack.control.moveClock(MINUTE_MS);
    expect(await paystack.record(reference)).toMatchObject({ status: 'success' });
    expect(await listed()).toBe(true);
  });

  it.each([
    ['0207', 500],
    ['0208', 200],
    ['0211', 429],
    ['0215', 401],
  ])('%s answers status calls with %s for a minute', async (digits, status) => {
    const reference = referenceOf(`status ${digits}`);
    await paystack.pay(digits, reference);
    const answer = await paystack.verify(reference);
    expect(answer.status).toBe(status);
    expect(answer.body?.data).toBeUndefined();
    await paystack.control.moveClock(MINUTE_MS);
    expect(await paystack.record(reference)).toMatchObject({ status: 'success' });
  });
});
