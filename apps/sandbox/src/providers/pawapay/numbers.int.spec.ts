import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { FAILED_CODES, SUBMIT_CODES, type SubmitCode } from './behaviour/failure-codes.js';
import { NUMBERS } from './behaviour/numbers.js';
import { type Answer, type Body, idOf, MINUTE_MS, payoutTo, RunningPawapay, TOKEN } from './simulator.spec-support.js';

const HOUR_MS = 60 * MINUTE_MS;
const [ACCEPTED, DUPLICATE] = ['ACCEPTED', 'DUPLICATE_IGNORED'];

/** What a merchant gets, and what has become of it two hours later. */
interface Expected {
  readonly first: Partial<Omit<Answer, 'body'>> & { readonly body?: object | null };
  /** Status of a second call with the same id. */
  readonly second: string;
  /** NOT_FOUND or data.status after two hours. */
  readonly end: string;
  /** Payments that stand, second call included. */
  readonly paid: number;
}

const ok = { first: { status: 200, body: { status: ACCEPTED } }, second: DUPLICATE } as const;
const paid: Expected = { ...ok, end: 'COMPLETED', paid: 1 };
const unpaid: Expected = { ...ok, end: 'FAILED', paid: 0 };
const open = (end: string): Expected => ({ ...ok, end, paid: 0 });
const says = (status: number, body: object | null, then: Partial<Expected> = {}): Expected => ({
  ...paid,
  first: { status, body },
  ...then,
});
const UNTAKEN = { second: ACCEPTED };
const reason = (failureCode: string) => ({ failureReason: { failureCode } });

/** The connection breaks. */
const BROKEN = { breaks: paid, 'breaks, untaken': { ...paid, ...UNTAKEN }, 'breaks, unpaid': unpaid };

const EXPECTED: Readonly<Record<string, Expected | keyof typeof BROKEN>> = {
  '0001': 'breaks',
  '0002': 'breaks, untaken',
  '0004': says(200, null),
  '0005': says(200, null, UNTAKEN),
  '0006': says(500, reason('UNKNOWN_ERROR')),
  '0007': says(500, reason('UNKNOWN_ERROR'), UNTAKEN),
  '0008': says(429, null, UNTAKEN),
  '0009': says(401, reason('NO_AUTHENTICATION'), UNTAKEN),
  '0010': says(502, null),
  '0011': says(200, null),
  '0012': says(200, null),
  '0013': says(200, { status: 'UNHEARD_OF' }),
  '0014': says(200, { status: ACCEPTED, payoutId: '00000000-0000-4000-8000-000000000001' }),
  '0015': 'breaks, unpaid',
  '0016': says(200, { status: DUPLICATE }),
  '0017': says(200, { status: DUPLICATE }, { end: 'NOT_FOUND', paid: 0 }),
  '0018': 'breaks',
  '0101': says(200, { status: 'ENQUEUED' }),
  '0102': open('ENQUEUED'),
  '0103': paid,
  '0104': unpaid,
  '0105': open('PROCESSING'),
  '0106': open('PROCESSING'),
  '0107': paid,
  '0108': unpaid,
  '0109': paid,
  '0110': paid,
  '0111': unpaid,
  '0112': unpaid,
  '0113': paid,
  '0201': paid,
  '0202': paid,
  '0203': paid,
  '0204': paid,
  '0205': paid,
  '0206': paid,
  '0207': paid,
  '0208': paid,
  '0209': paid,
  '0210': unpaid,
  '0211': paid,
  ...Object.fromEntries(
    Array.from({ length: 19 }, (_, index) => [String(301 + index).padStart(4, '0'), paid] as const),
  ),
  '0312': unpaid,
  '0318': open('PROCESSING'),
  '6089': unpaid,
  '6099': unpaid,
  '6109': unpaid,
  '6119': unpaid,
  '6129': open('SUBMITTED'),
  '6789': paid,
};

const codes = Object.keys(SUBMIT_CODES) as SubmitCode[];
const rejected = codes.map((code, index) => ({ code, digits: String(401 + index).padStart(4, '0') }));
const failing = FAILED_CODES.map((code, index) => ({ code, digits: String(501 + index).padStart(4, '0') }));

describe('the numbers', () => {
  let pawapay: RunningPawapay;
  beforeAll(async () => {
    pawapay = await RunningPawapay.start();
  });
  afterAll(() => pawapay.remove());

  it('are all tried here, and each has a sentence', () => {
    const tried = [...Object.keys(EXPECTED), '0003', ...[...rejected, ...failing].map(({ digits }) => digits)];
    expect(Object.keys(NUMBERS).sort()).toEqual(tried.sort());
    for (const { sentence } of Object.values(NUMBERS)) expect(sentence).toMatch(/^[A-Z].*\.$/);
    expect(pawapay.control.numbers()['0105']).toBe('PROCESSING for ever.');
  });

  it.each(Object.entries(EXPECTED))('%s does what it says', async (digits, expected) => {
    const id = idOf(`each ${digits}`);
    const first = pawapay.pay(digits, id);
    if (typeof expected === 'string') await expect(first).rejects.toThrow();
    else expect(await first).toMatchObject(expected.first);
    const { second, end, paid: times } = typeof expected === 'string' ? BROKEN[expected] : expected;
    expect((await pawapay.pay(digits, id)).body).toMatchObject({ payoutId: id, status: second });
    await pawapay.control.moveClock(2 * HOUR_MS);
    const record = await pawapay.record(id);
    expect(record.status === 'FOUND' ? record.data.status : record.status).toBe(end);
    expect(pawapay.control.payments(id).filter(({ reversed }) => !reversed)).toHaveLength(times);
  });

  it.each(rejected)('$digits is refused with $code, every time', async ({ code, digits }) => {
    const status = SUBMIT_CODES[code];
    for (let call = 0; call < 2; call += 1)
      expect(await pawapay.pay(digits)).toMatchObject({
        status,
        body: { payoutId: idOf(digits), status: 'REJECTED', failureReason: { failureCode: code } },
      });
    expect(await pawapay.record(idOf(digits))).toEqual({ status: 'NOT_FOUND' });
    expect(pawapay.control.payments(idOf(digits))).toEqual([]);
  });

  it.each(failing)('$digits fails with $code', async ({ code, digits }) => {
    expect((await pawapay.pay(digits)).body).toMatchObject({ status: ACCEPTED });
    await pawapay.control.moveClock(MINUTE_MS);
    expect(await pawapay.record(idOf(digits))).toMatchObject({
      data: { status: 'FAILED', failureReason: { failureCode: code } },
    });
    expect(pawapay.heardOf(idOf(digits))).toMatchObject([{ body: { failureReason: { failureCode: code } } }]);
  });

  it('0003 is taken and paid while its caller waits', async () => {
    const id = idOf('0003');
    const waiting = new AbortController();
    const answer = fetch(`${pawapay.baseUrl}/v2/payouts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(payoutTo('0003', id)),
      signal: waiting.signal,
    });
    const heard = expect(answer).rejects.toThrow();
    while (pawapay.control.submits(id) === 0) await new Promise(setImmediate);
    await pawapay.control.moveClock(MINUTE_MS);
    expect((await pawapay.pay('0003', id)).body).toMatchObject({ status: DUPLICATE });
    waiting.abort();
    await heard;
    expect(pawapay.control.payments(id)).toHaveLength(1);
  });

  const after = async (digits: string, ms: number): Promise<Body> => {
    const id = idOf(`after ${digits} ${ms}`);
    await pawapay.pay(digits, id);
    await pawapay.control.moveClock(ms);
    return pawapay.record(id);
  };

  it.each([
    ['0101', MINUTE_MS, 'ENQUEUED'],
    ['0103', MINUTE_MS, 'IN_RECONCILIATION'],
    ['0104', MINUTE_MS, 'IN_RECONCILIATION'],
    ['0107', MINUTE_MS, 'FAILED'],
    ['0108', MINUTE_MS, 'COMPLETED'],
    ['0109', 1_000, 'SUBMITTED'],
    ['0110', 1_000, 'UNHEARD_OF'],
    ['0113', 19 * MINUTE_MS, 'PROCESSING'],
  ])('%s is in between %s ms later %s', async (digits, ms, status) => {
    expect(await after(digits, ms)).toMatchObject({ data: { status } });
  });

  it('0106 goes on when it is released', async () => {
    await after('0106', MINUTE_MS);
    const id = idOf(`after 0106 ${MINUTE_MS}`);
    expect(await pawapay.control.steer(id, 'release')).toBe(true);
    expect(await pawapay.control.steer(id, 'release')).toBe(false);
    expect(await pawapay.record(id)).toMatchObject({ data: { status: 'COMPLETED' } });
  });

  it('0108 gives the money back, and the book keeps the payment', async () => {
    await after('0108', HOUR_MS);
    expect(pawapay.control.payments(idOf(`after 0108 ${HOUR_MS}`))).toMatchObject([{ reversed: true }]);
  });

  it('02xx say in the record what is not so, and nothing else', async () => {
    const honest = (await after('1234', MINUTE_MS)).data;
    const recordOf = async (digits: string): Promise<Body> => (await after(digits, MINUTE_MS)).data;
    expect(await recordOf('0201')).not.toHaveProperty('providerTransactionId');
    expect(await recordOf('0202')).toMatchObject({ amount: '1501', currency: 'MWK' });
    expect((await recordOf('0203')).recipient.accountDetails).toEqual({
      phoneNumber: '265993400203',
      provider: 'AIRTEL_MWI',
    });
    expect((await recordOf('0204')).currency).not.toBe(honest.currency);
    expect((await recordOf('0205')).recipient.accountDetails.provider).not.toBe('AIRTEL_MWI');
    expect(await recordOf('0209')).toMatchObject({ amount: '1500.00' });
    expect(await recordOf('0210')).not.toHaveProperty('failureReason');
  });

  it('0206 is unknown for fourteen minutes, though it is paid', async () => {
    expect(await after('0206', 13 * MINUTE_MS)).toEqual({ status: 'NOT_FOUND' });
    expect(pawapay.control.payments(idOf(`after 0206 ${13 * MINUTE_MS}`))).toHaveLength(1);
    await pawapay.control.moveClock(MINUTE_MS);
    expect(await pawapay.record(idOf(`after 0206 ${13 * MINUTE_MS}`))).toMatchObject({ status: 'FOUND' });
  });

  it.each([
    ['0207', 500],
    ['0208', 200],
    ['0211', 429],
  ])('%s answers status calls with %s for a minute', async (digits, status) => {
    const id = idOf(`status ${digits}`);
    await pawapay.pay(digits, id);
    const answer = await pawapay.call('GET', `/v2/payouts/${id}`);
    expect(answer.status).toBe(status);
    expect(answer.body?.status).toBeUndefined();
    await pawapay.control.moveClock(MINUTE_MS);
    expect(await pawapay.record(id)).toMatchObject({ status: 'FOUND' });
  });
});
