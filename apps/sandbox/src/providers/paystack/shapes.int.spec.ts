import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { NUMBERS } from './behaviour/numbers.js';
import shapes from './shapes/paystack-shapes.json' with { type: 'json' };
import { ALL_KINDS, HOUR_MS, MINUTE_MS, recipientOf, referenceOf, RunningPaystack } from './simulator.spec-support.js';

const { resolve, recipient, transfer, verify, webhook, balance } = shapes.paystack;

/** What PaystackOSS/doc-code-snippets has besides, in its samples of verify and of recipients [D]. */
const RECIPIENT = {
  ...recipient.res.data,
  createdAt: transfer.res.data.createdAt,
  updatedAt: transfer.res.data.updatedAt,
  description: null,
  email: null,
  isDeleted: false,
  metadata: null,
};
const { transfersessionid: _session, transfertrials: _trials, ...queued } = transfer.res.data;
const RECORD = { ...queued, ...verify.res_extra, recipient: RECIPIENT };
/** In one of two spellings. */
const TIMES = ['createdAt', 'updatedAt', 'created_at', 'updated_at', 'isDeleted'];
const snaked = ({ createdAt, updatedAt, ...rest }: Record<string, unknown>) => ({
  ...rest,
  created_at: createdAt,
  updated_at: updatedAt,
});
const BOTH_RECORD = { ...RECORD, ...snaked(RECORD), recipient: { ...RECIPIENT, ...snaked(RECIPIENT) } };
const EVENT = {
  event: 'transfer.success',
  data: { ...BOTH_RECORD, ...webhook.body.data, recipient: BOTH_RECORD.recipient },
};
/** Members that came with the newer spelling. */
const NEWER = ['fee_charged', 'fees_breakdown', 'gateway_response', 'request'];

/** What of a body is not as in the sample: members that are missing or strange, and values of another form. */
function faults(value: unknown, sample: unknown, optional: readonly string[] = [], at = 'body'): string[] {
  // Their samples have null for what may be told in a string or an object.
  if (sample === null || value === null) return [];
  if (typeof sample === 'string' && /^\d{4}-\d\d-\d\dT/.test(sample))
    return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)
      ? []
      : [`${at}: no time`];
  if (typeof sample === 'number') return Number.isSafeInteger(value) ? [] : [`${at}: no integer`];
  if (Array.isArray(sample))
    return Array.isArray(value)
      ? value.flatMap((item, index) => faults(item, sample[0], optional, `${at}[${index}]`))
      : [`${at}: no list`];
  if (typeof sample === 'object') {
    if (typeof value !== 'object') return [`${at}: no object`];
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

/** Numbers whose answer to the paying call is not Paystack's, which is what they are for. */
const NOT_THEIRS = new Set(
  Object.entries(NUMBERS).flatMap(([digits, { answer, recipientAnswer, resolve: named }]) =>
    ['cut', 'cut_midway', 'hold', 'html', 'gateway_html', 'truncated', 'empty', 'status_false'].includes(
      answer?.how ?? '',
    ) ||
    recipientAnswer !== undefined ||
    named === 'nobody'
      ? [digits]
      : [],
  ),
);

describe('Paystack as published', () => {
  let paystack: RunningPaystack;
  beforeAll(async () => {
    paystack = await RunningPaystack.start({ holdMs: 1 });
  });
  afterAll(() => paystack.remove());

  const ofRefusal = (body: unknown) => faults(body, transfer.err.body, ['meta', 'type', 'code']);
  const ofRecord = (data: unknown) => faults(data, BOTH_RECORD, [...TIMES, ...NEWER]);

  it('judges: a sample has no fault, and what is changed in it has', () => {
    expect(faults(RECORD, RECORD)).toEqual([]);
    expect(
      faults(webhook.body, EVENT, [
        ...TIMES,
        ...NEWER,
        ...Object.keys(RECIPIENT),
        'account_name',
        'authorization_code',
      ]),
    ).toEqual([]);
    expect(faults({ ...RECORD, amount: '150000' }, RECORD)).toEqual(['body.amount: no integer']);
    expect(faults({ ...RECORD, more: 1 }, RECORD)).toEqual(['body.more is strange']);
    const { currency: _currency, ...rest } = RECORD;
    expect(faults(rest, RECORD)).toEqual(['body.currency is missing']);
    expect(faults({ ...RECORD, createdAt: 'now' }, RECORD)).toEqual(['body.createdAt: no time']);
    expect(NOT_THEIRS.size).toBe(18);
  });

  it('makes recipients as its sample has them', async () => {
    for (const kind of ALL_KINDS) {
      const { body } = await paystack.call('POST', '/transferrecipient', recipientOf('1234', kind));
      expect(faults(body, { ...recipient.res, data: RECIPIENT })).toEqual([]);
      expect(body.message).toBe(recipient.res.message);
    }
    const answer = await paystack.call('POST', '/transferrecipient', recipient.body);
    expect(answer.body.data).toMatchObject({ name: recipient.body.name, details: { bank_name: 'Access Bank' } });
  });

  it.each(Object.keys(NUMBERS).filter((digits) => !NOT_THEIRS.has(digits)))(
    'answers, tells and calls in its form for %s',
    async (digits) => {
      const reference = referenceOf(`form ${digits}`);
      for (let call = 0; call < 2; call += 1) {
        const { body } = await paystack.pay(digits, reference);
        expect(body.status ? faults(body, transfer.res) : ofRefusal(body)).toEqual([]);
      }
      for (const ms of [0, 500, MINUTE_MS, HOUR_MS]) {
        await paystack.control.moveClock(ms);
        const { status, body } = await paystack.verify(reference);
        if (body === null) continue;
        expect(status === 200 ? ofRecord(body.data) : ofRefusal(body)).toEqual([]);
      }
      for (const { body } of paystack.listener.heard) expect(faults(body, EVENT, [...TIMES, ...NEWER])).toEqual([]);
    },
  );

  it('says no more of what it does not find, or has twice, than its samples', async () => {
    expect((await paystack.verify(referenceOf('nobody'))).body).toEqual(verify.missing.body);
    await paystack.pay('0022');
    const { status, body } = await paystack.pay('0022');
    expect(status).toBe(transfer.dup_bulk.http);
    expect(body).toEqual({
      ...transfer.dup_bulk.body,
      message: `Duplicate reference(s) found: ${referenceOf('0022')}`,
    });
    const unknown = await paystack.call('POST', '/transfer', { ...transfer.body });
    expect([unknown.status, unknown.body.message, unknown.body.code]).toEqual([
      transfer.err.http,
      transfer.err.body.message,
      transfer.err.body.code,
    ]);
  });

  it('tells balances, names and lists in their form', async () => {
    expect(faults((await paystack.call('GET', '/balance')).body, balance)).toEqual([]);
    const [, path = ''] = resolve.req.split(' ');
    expect(faults((await paystack.call('GET', path)).body, resolve.res)).toEqual([]);
    const list = (await paystack.call('GET', '/transfer')).body;
    expect((list.data as unknown[]).flatMap(ofRecord)).toEqual([]);
    expect(Object.keys(list.meta)).toEqual(['total', 'skipped', 'perPage', 'page', 'pageCount']);
  });
});
