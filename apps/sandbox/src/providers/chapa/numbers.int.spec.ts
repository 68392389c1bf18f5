import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { NUMBERS } from './behaviour/numbers.js';
import { type RefusalCode, REFUSALS } from './behaviour/refusals.js';
import { type Answer, type Body, MINUTE_MS, refOf, RunningChapa, TOKEN, transferTo } from './simulator.spec-support.js';

const HOUR_MS = 60 * MINUTE_MS;

/** What a merchant gets, and what has become of it two hours later. */
interface Expected {
  readonly first: Partial<Omit<Answer, 'body'>> & { readonly body?: object | null };
  /** Whether a second call with the same reference is taken. */
  readonly second: boolean;
  /** `status` of verify after two hours; null: not found. */
  readonly end: string | null;
  /** Payments that stand, second call included. */
  readonly paid: number;
}

const queued = { message: 'Transfer Queued Successfully', status: 'success' };
const paid: Expected = { first: { status: 200, body: queued }, second: false, end: 'success', paid: 1 };
const unpaid = (end = 'failed'): Expected => ({ ...paid, end, paid: 0 });
const says = (status: number, body: object | null, then: Partial<Expected> = {}): Expected => ({
  ...paid,
  ...then,
  first: { status, body },
});
const UNTAKEN = { second: true };
const failed = { status: 'failed', data: null };

/** The connection breaks. */
const BROKEN = { breaks: paid, 'breaks, untaken': { ...paid, ...UNTAKEN }, 'breaks, unpaid': unpaid() };

const range = (from: number, length: number, expected: Expected): Record<string, Expected> =>
  Object.fromEntries(Array.from({ length }, (_, index) => [String(from + index).padStart(4, '0'), expected]));

const EXPECTED: Readonly<Record<string, Expected | keyof typeof BROKEN>> = {
  '0001': 'breaks',
  '0002': 'breaks, untaken',
  '0004': says(200, null),
  '0005': says(200, null, UNTAKEN),
  '0006': says(500, { message: 'Server Error' }),
  '0007': says(500, { message: 'Server Error' }, UNTAKEN),
  '0008': says(429, failed, UNTAKEN),
  '0009': says(401, failed, UNTAKEN),
  '0010': says(502, null),
  '0011': says(200, null),
  '0012': says(200, null),
  '0013': says(200, { status: 'UNHEARD_OF' }),
  '0014': says(200, { ...queued, data: 'NOBODYKNOWS00000' }),
  '0015': 'breaks, unpaid',
  '0016': says(400, { ...failed, message: REFUSALS.reference_used.message }),
  '0017': says(400, { ...failed, message: REFUSALS.reference_used.message }, { end: null, paid: 0 }),
  '0018': 'breaks',
  '0019': says(200, failed),
  '0020': says(200, { ...queued, data: null }),
  '0021': says(200, { ...queued, data: { status: 'pending' } }),
  '0022': says(200, { message: 'Transfer Queued Successfully in Test Mode', status: 'success' }),
  '0023': says(429, failed),
  '0101': paid,
  '0102': unpaid('queued'),
  '0103': unpaid('pending'),
  '0104': unpaid('queued'),
  '0105': unpaid('pending'),
  '0107': paid,
  '0108': unpaid(),
  '0109': paid,
  '0110': paid,
  '0111': unpaid(),
  '0112': paid,
  '0113': paid,
  '0114': unpaid('queued'),
  ...range(201, 16, paid),
  '0213': { ...paid, end: 'test mode' },
  '0217': unpaid(),
  ...range(301, 22, paid),
  '0310': unpaid(),
  '0311': unpaid(),
  '0312': unpaid(),
  '0313': unpaid(),
  '0318': unpaid('queued'),
  '0322': unpaid(),
  '0501': unpaid(),
  '0502': unpaid('cancelled'),
  '0503': unpaid('failed/cancelled'),
  '0504': unpaid('reverted'),
  '0505': unpaid(),
  ...range(601, 17, paid),
  '0616': unpaid(),
  '0701': { ...paid, second: true, paid: 2 },
  '0702': paid,
  '0704': says(500, { message: 'Server Error' }),
};

const rejected = (Object.keys(REFUSALS) as RefusalCode[]).map((code, index) => ({
  code,
  digits: String(401 + index).padStart(4, '0'),
}));

describe("Chapa's numbers", () => {
  let chapa: RunningChapa;
  beforeAll(async () => {
    chapa = await RunningChapa.start();
  });
  afterAll(() => chapa.remove());

  it('are all tried here', () => {
    const tried = [...Object.keys(EXPECTED), '0003', '0703', ...rejected.map(({ digits }) => digits)];
    expect(Object.keys(NUMBERS).sort()).toEqual(tried.sort());
  });

  const endOf = async (reference: string): Promise<string | null> => {
    const { status, body } = await chapa.verify(reference);
    if (status === 404) return null;
    return Array.isArray(body.data) ? 'test mode' : String(body.data.status);
  };

  it.each(Object.entries(EXPECTED))('%s does what it says', async (digits, expected) => {
    const reference = refOf(`each ${digits}`);
    const first = chapa.pay(digits, reference);
    if (typeof expected === 'string') await expect(first).rejects.toThrow();
    else expect(await first).toMatchObject(expected.first);
    const { second, end, paid: times } = typeof expected === 'string' ? BROKEN[expected] : expected;
    expect((await chapa.pay(digits, reference)).status).toBe(second ? 200 : 400);
    await chapa.control.moveClock(HOUR_MS);
    await chapa.control.moveClock(HOUR_MS);
    expect(await endOf(reference)).toBe(end);
    expect(chapa.paid(reference)).toBe(times);
    expect(chapa.control.submits(reference)).toBe(2);
  });

  it.each(rejected)('$digits is refused with $code, every time', async ({ code, digits }) => {
    const { status, message } = REFUSALS[code];
    for (let call = 0; call < 2; call += 1)
      expect(await chapa.pay(digits)).toEqual({ status, body: { message, ...failed } });
    expect((await chapa.verify(refOf(digits))).status).toBe(404);
    expect(chapa.control.payments(refOf(digits))).toEqual([]);
  });

  it('0003 is taken and paid while its caller waits', async () => {
    const reference = refOf('0003');
    const waiting = new AbortController();
    const answer = fetch(`${chapa.baseUrl}/v1/transfers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(transferTo('0003', reference)),
      signal: waiting.signal,
    });
    const heard = expect(answer).rejects.toThrow();
    while (chapa.questions.of(reference).length === 0) await new Promise(setImmediate);
    await chapa.control.moveClock(0);
    await chapa.control.moveClock(MINUTE_MS);
    waiting.abort();
    await heard;
    expect(chapa.paid(reference)).toBe(1);
  });

  it('0703 loses the answer, and whoever asks again has paid twice', async () => {
    const reference = refOf('0703');
    await expect(chapa.pay('0703')).rejects.toThrow();
    expect(await chapa.record(reference)).toMatchObject({ status: 'pending' });
    expect((await chapa.pay('0703')).status).toBe(200);
    await chapa.control.moveClock(MINUTE_MS);
    expect(chapa.paid(reference)).toBe(2);
    const { data } = (await chapa.call('GET', '/v1/transfers')).body;
    const rows = data as { readonly reference: string; readonly status: string }[];
    expect(rows.filter((row) => row.reference === reference && row.status === 'success')).toHaveLength(2);
  });

  const after = async (digits: string, ms: number): Promise<Body> => {
    const reference = refOf(`after ${digits} ${ms}`);
    await chapa.pay(digits, reference);
    await chapa.control.moveClock(ms);
    return chapa.record(reference);
  };

  it.each([
    ['0101', MINUTE_MS, 'queued'],
    ['0107', MINUTE_MS, 'failed'],
    ['0108', MINUTE_MS, 'success'],
    ['0109', 1_000, 'pending'],
    ['0110', 1_000, 'UNHEARD_OF'],
    ['0112', MINUTE_MS, 'cancelled'],
    ['0113', 19 * MINUTE_MS, 'queued'],
    ['0114', 37 * HOUR_MS, 'success'],
  ])('%s is %s ms later %s', async (digits, ms, status) => {
    expect(await after(digits, ms)).toMatchObject({ status });
  });

  it.each(['0102', '0105'])('%s goes on when it is released', async (digits) => {
    const reference = refOf(`released ${digits}`);
    await chapa.pay(digits, reference);
    await chapa.control.moveClock(MINUTE_MS);
    expect(await chapa.control.steer(reference, 'release')).toBe(true);
    expect(await chapa.control.steer(reference, 'release')).toBe(false);
    await chapa.control.moveClock(MINUTE_MS);
    expect(await chapa.record(reference)).toMatchObject({ status: 'success' });
  });

  it('0108 gives the money back, and the book keeps the payment', async () => {
    await after('0108', HOUR_MS);
    expect(chapa.control.payments(refOf(`after 0108 ${HOUR_MS}`))).toMatchObject([{ reversed: true }]);
  });

  it('02xx say in the record what is not so, and nothing else', async () => {
    const honest = await after('1234', MINUTE_MS);
    const changed: Readonly<Record<string, object>> = {
      '0201': { cross_party_reference: null },
      '0202': { amount: 151.5 },
      '0203': { account_number: '0912300203' },
      '0204': { currency: 'USD' },
      '0205': { bank_code: 128, bank_name: 'CBEBirr' },
      '0209': { amount: '150.50' },
      '0210': { bank_code: 855, bank_name: 'Abay Bank' },
      '0212': { tx_ref: 'NOBODYKNOWS00000' },
      '0214': { cross_party_reference: '' },
      '0215': { account_number: '251912340215' },
      '0216': { account_name: 'Somebody Else' },
    };
    for (const [digits, change] of Object.entries(changed)) {
      const record = await after(digits, MINUTE_MS);
      const expected = {
        ...honest,
        account_number: `091234${digits}`,
        tx_ref: refOf(`after ${digits} ${MINUTE_MS}`),
        cross_party_reference: record.cross_party_reference,
        chapa_transfer_id: record.chapa_transfer_id,
        created_at: record.created_at,
        updated_at: record.updated_at,
        ...change,
      };
      expect([digits, record]).toEqual([digits, expected]);
    }
  });

  it('0206 is unknown for fourteen minutes, though it is paid', async () => {
    expect(await after('0206', 13 * MINUTE_MS)).toBe(null);
    const reference = refOf(`after 0206 ${13 * MINUTE_MS}`);
    expect(chapa.paid(reference)).toBe(1);
    await chapa.control.moveClock(MINUTE_MS);
    expect(await chapa.record(reference)).toMatchObject({ status: 'success' });
  });

  it.each([
    ['0207', 500],
    ['0208', 200],
    ['0211', 429],
  ])('%s answers questions with %s for a minute', async (digits, status) => {
    const reference = refOf(`status ${digits}`);
    await chapa.pay(digits, reference);
    const answer = await chapa.verify(reference);
    expect(answer.status).toBe(status);
    expect(answer.body?.data ?? null).toBe(null);
    await chapa.control.moveClock(MINUTE_MS);
    expect(await chapa.record(reference)).toMatchObject({ status: 'success' });
  });
});

describe('settings of what is not proven', () => {
  it('pay a repeated reference again, and answer 400 for an unknown one', async () => {
    const chapa = await RunningChapa.start({ asks: false, repeats: 'paid_again', notFoundStatus: 400 });
    try {
      expect((await chapa.verify('nobody')).status).toBe(400);
      for (let call = 0; call < 3; call += 1) await chapa.pay('1234');
      expect((await chapa.pay('0702')).status).toBe(200);
      expect((await chapa.pay('0702')).status).toBe(400);
      await chapa.control.moveClock(MINUTE_MS);
      expect(chapa.paid(refOf('1234'))).toBe(3);
      expect(chapa.paid(refOf('0702'))).toBe(1);
    } finally {
      await chapa.remove();
    }
  });
});
