import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { NUMBERS } from './behaviour/numbers.js';
import { type Answer, idOf, MINUTE_MS, RunningPawapay } from './simulator.spec-support.js';
import shapes from './shapes/pawapay-shapes.json' with { type: 'json' };

const { payout, status, callback, predict, balances } = shapes.pawapay;

/** The samples leave out of one what they have in the other: the members of both are those of either. */
const RECORD = { ...callback.body, ...status.found.data };
/** [D]: given where asked for, or in one state alone. */
const OPTIONAL = [
  'customerMessage',
  'clientReferenceId',
  'metadata',
  'providerTransactionId',
  'failureReason',
  'created',
  'payoutId',
];
const REQUIRED_OF_RECORD = ['created', 'payoutId'];

/** What of a body is not as in the sample: members that are missing or strange, and values of another form. */
function faults(value: unknown, sample: unknown, optional: readonly string[] = [], at = 'body'): string[] {
  if (sample === 'uuid4')
    return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(String(value))
      ? []
      : [`${at}: no UUIDv4`];
  if (typeof sample === 'string' && /^\d{4}-\d\d-\d\dT/.test(sample))
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(String(value)) ? [] : [`${at}: no time`];
  if (typeof sample === 'string' && /^\d+(\.\d+)?$/.test(sample))
    return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? [] : [`${at}: no number in a string`];
  if (Array.isArray(sample))
    return Array.isArray(value)
      ? value.flatMap((item, index) => faults(item, sample[0], optional, `${at}[${index}]`))
      : [`${at}: no list`];
  if (typeof sample === 'object' && sample !== null) {
    if (typeof value !== 'object' || value === null) return [`${at}: no object`];
    const [of, as] = [value as Record<string, unknown>, sample as Record<string, unknown>];
    const missing = Object.keys(as).filter((name) => !(name in of) && !optional.includes(name));
    const strange = Object.keys(of).filter((name) => !(name in as));
    return [
      ...missing.map((name) => `${at}.${name} is missing`),
      ...strange.map((name) => `${at}.${name} is strange`),
      ...Object.keys(of).flatMap((name) => (name in as ? faults(of[name], as[name], optional, `${at}.${name}`) : [])),
    ];
  }
  return typeof value === typeof sample ? [] : [`${at}: no ${typeof sample}`];
}

const without = (names: readonly string[]) => OPTIONAL.filter((name) => !names.includes(name));
const ofRecord = (value: unknown) => faults(value, RECORD, without(REQUIRED_OF_RECORD));

/** Numbers whose answer to the paying call is not pawaPay's, which is what they are for. */
const NOT_THEIRS = new Set(
  Object.entries(NUMBERS).flatMap(([digits, { answer }]) =>
    answer !== undefined && !['duplicate', 'enqueued', 'other_id', 'strange_status'].includes(answer.how)
      ? [digits]
      : [],
  ),
);

describe('pawaPay as published', () => {
  let pawapay: RunningPawapay;
  beforeAll(async () => {
    pawapay = await RunningPawapay.start({ holdMs: 1 });
  });
  afterAll(() => pawapay.remove());

  it('judges: a sample has no fault, and what is changed in it has', () => {
    const sample = { ...RECORD, payoutId: idOf('sample') };
    expect(ofRecord(sample)).toEqual([]);
    expect(ofRecord({ ...sample, amount: 1500 })).toEqual(['body.amount: no number in a string']);
    expect(ofRecord({ ...sample, more: 1 })).toEqual(['body.more is strange']);
    const { currency: _currency, ...rest } = sample;
    expect(ofRecord(rest)).toEqual(['body.currency is missing']);
    expect(ofRecord({ ...sample, created: 'now' })).toEqual(['body.created: no time']);
    expect([...NOT_THEIRS].map(Number).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 18]);
  });

  it('is accepted as its sample has it, with and without what may be left out', async () => {
    const { payoutId: _id, ...sample } = payout.body;
    for (const left of [[], ['clientReferenceId'], ['customerMessage'], ['metadata']]) {
      const body = Object.fromEntries(Object.entries(sample).filter(([name]) => !left.includes(name)));
      const id = idOf(`sample ${left.join()}`);
      const answer = await pawapay.call('POST', '/v2/payouts', { payoutId: id, ...body });
      expect(faults(answer.body, payout.ok)).toEqual([]);
      const { data } = await pawapay.record(id);
      const { payoutId: _i, status: _s, created: _c, country: _o, metadata, ...echo } = data;
      const { metadata: asked, ...rest } = body as { metadata?: object[] };
      expect(echo).toEqual(rest);
      expect(metadata).toEqual(asked?.[0]);
    }
    for (const name of ['amount', 'currency', 'recipient']) {
      const body = { payoutId: idOf('left'), ...sample, [name]: undefined };
      expect((await pawapay.call('POST', '/v2/payouts', body)).status).toBe(400);
    }
  });

  it.each(Object.keys(NUMBERS).filter((digits) => !NOT_THEIRS.has(digits)))(
    'answers, tells and calls back in its form for %s',
    async (digits) => {
      const id = idOf(`form ${digits}`);
      const first = await pawapay.pay(digits, id);
      const isRejected = first.body.status === 'REJECTED';
      const optional = first.status === 200 ? [] : ['created'];
      expect(faults(first.body, isRejected ? payout.rejected : payout.ok, optional)).toEqual([]);
      const second: Answer = await pawapay.pay(digits, id);
      expect(faults(second.body, isRejected ? payout.rejected : payout.dup, optional)).toEqual([]);
      for (const ms of [0, 500, MINUTE_MS, 60 * MINUTE_MS]) {
        await pawapay.control.moveClock(ms);
        const answer = await pawapay.call('GET', `/v2/payouts/${id}`);
        if (answer.status === 200 && answer.body !== null)
          expect(
            answer.body.status === 'FOUND'
              ? [...Object.keys(answer.body).filter((name) => !(name in status.found)), ...ofRecord(answer.body.data)]
              : faults(answer.body, status.missing),
          ).toEqual([]);
      }
      for (const { body } of pawapay.listener.heard) expect(ofRecord(body)).toEqual([]);
    },
  );

  it('signs its callbacks with the headers of the sample', async () => {
    await pawapay.pay('1234', idOf('headers'));
    await pawapay.control.moveClock(MINUTE_MS);
    const [heard] = pawapay.heardOf(idOf('headers'));
    for (const line of callback.headers) {
      const [name = '', form] = line.split(/: (.*)/);
      const value = String(heard?.headers[name.toLowerCase()]);
      expect(value.startsWith(form?.split(/[(:]/)[0] ?? '')).toBe(true);
    }
  });

  it('tells balances and predictions in their form', async () => {
    const [, path = ''] = balances.req.split(' ');
    expect(faults((await pawapay.call('GET', path)).body, balances.res)).toEqual([]);
    expect((await pawapay.call('POST', '/v2/predict-provider', predict.body)).body).toEqual(predict.res);
  });
});
