import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { NUMBERS } from './behaviour/numbers.js';
import { MINUTE_MS, refOf, RunningChapa } from './simulator.spec-support.js';
import shapes from './shapes/chapa-shapes.json' with { type: 'json' };

const { transfer, verify, webhook, banks, approval, list, balances, refused } = shapes.chapa;

/** Null is published there, or stands where there is nothing to tell. */
const NULLABLE = ['mobile', 'narration', 'cross_party_reference', 'bank_reference', 'is_rtgs', 'is_24hrs'].concat([
  'is_mobilemoney',
  'next_page_url',
  'prev_page_url',
]);

/** What of a body is not as in the sample: members that are missing or strange, and values of another form. */
function faults(value: unknown, sample: unknown, at = 'body'): string[] {
  if (value === null && (sample === null || NULLABLE.includes(at.split('.').at(-1) ?? ''))) return [];
  if (sample === 'uuid')
    return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(value)) ? [] : [`${at}: no UUID`];
  if (typeof sample === 'string' && /^\d{4}-\d\d-\d\dT/.test(sample))
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(String(value)) ? [] : [`${at}: no time`];
  if (typeof sample === 'string' && /^\d+\.\d\d$/.test(sample))
    return typeof value === 'string' && /^\d+\.\d\d$/.test(value) ? [] : [`${at}: no amount in a string`];
  if (Array.isArray(sample))
    return Array.isArray(value)
      ? value.flatMap((item, index) => faults(item, (sample as unknown[])[0], `${at}[${index}]`))
      : [`${at}: no list`];
  if (typeof sample === 'object' && sample !== null) {
    if (typeof value !== 'object' || value === null) return [`${at}: no object`];
    const [of, as] = [value as Record<string, unknown>, sample as Record<string, unknown>];
    const missing = Object.keys(as).filter((name) => !(name in of));
    const strange = Object.keys(of).filter((name) => !(name in as));
    return [
      ...missing.map((name) => `${at}.${name} is missing`),
      ...strange.map((name) => `${at}.${name} is strange`),
      ...Object.keys(of).flatMap((name) => (name in as ? faults(of[name], as[name], `${at}.${name}`) : [])),
    ];
  }
  if (sample === null) return typeof value === 'string' ? [] : [`${at}: neither null nor text`];
  return typeof value === typeof sample ? [] : [`${at}: no ${typeof sample}`];
}

/** A refusal names members in an object where a rule of theirs is broken. */
const faultsOfRefusal = (body: Record<string, unknown>) =>
  faults(typeof body['message'] === 'object' ? { ...body, message: '' } : body, refused.res);

/** Numbers whose answer to the paying call or to verify is not Chapa's, which is what they are for. */
const NOT_THEIRS = new Set(
  Object.entries(NUMBERS).flatMap(([digits, { answer, record }]) =>
    answer !== undefined || record?.testMode === true || record?.amount === 'text' ? [digits] : [],
  ),
);

describe('Chapa as published', () => {
  let chapa: RunningChapa;
  beforeAll(async () => {
    chapa = await RunningChapa.start({ holdMs: 1 });
  });
  afterAll(() => chapa.remove());

  it('judges: a sample has no fault, and what is changed in it has', () => {
    const sample = { ...webhook.body };
    expect(faults(sample, webhook.body)).toEqual([]);
    expect(faults({ ...sample, amount: 150.5 }, webhook.body)).toEqual(['body.amount: no amount in a string']);
    expect(faults({ ...sample, more: 1 }, webhook.body)).toEqual(['body.more is strange']);
    const { currency: _currency, ...rest } = sample;
    expect(faults(rest, webhook.body)).toEqual(['body.currency is missing']);
    expect(faults({ ...sample, created_at: 'now' }, webhook.body)).toEqual(['body.created_at: no time']);
    expect(faults({ ...sample, currency: null }, webhook.body)).toEqual(['body.currency: no string']);
  });

  it('is taken as its sample has it, and told as it was asked for', async () => {
    const answer = await chapa.call('POST', '/v1/transfers', transfer.body);
    expect(answer.body).toEqual(transfer.res);
    await chapa.control.moveClock(0);
    await chapa.control.moveClock(MINUTE_MS);
    const { account_name, account_number, amount, currency, bank_code, bank_name, status, tx_ref } = verify.res.data;
    const told = { account_name, account_number, amount, currency, bank_code, bank_name, status, tx_ref };
    expect(await chapa.record('po-1')).toMatchObject(told);
    const [heard] = chapa.webhooks.of('po-1');
    const {
      charge: _charge,
      chapa_reference: _c,
      bank_reference: _b,
      created_at: _a,
      updated_at: _u,
      ...rest
    } = webhook.body;
    expect(heard?.body).toMatchObject(rest);
    for (const name of Object.keys(webhook.headers)) expect(heard?.headers[name]).toMatch(/^[0-9a-f]{64}$/);
    expect(chapa.questions.of('po-1')[0]?.body).toEqual({ ...approval.body, amount: '150.50' });
  });

  it.each(Object.keys(NUMBERS).filter((digits) => !NOT_THEIRS.has(digits)))(
    'answers, tells, asks and lists in its form for %s',
    async (digits) => {
      const reference = refOf(`form ${digits}`);
      for (let call = 0; call < 2; call += 1) {
        const { status, body } = await chapa.pay(digits, reference);
        expect(status === 200 ? faults(body, transfer.res) : faultsOfRefusal(body)).toEqual([]);
      }
      for (const ms of [0, 500, MINUTE_MS, 60 * MINUTE_MS]) {
        await chapa.control.moveClock(ms);
        const { status, body } = await chapa.verify(reference);
        if (status === 404) expect(faultsOfRefusal(body)).toEqual([]);
        if (status === 200 && body !== null) expect(faults(body, verify.res)).toEqual([]);
      }
      for (const { body } of chapa.webhooks.of(reference)) expect(faults(body, webhook.body)).toEqual([]);
      for (const { body } of chapa.questions.of(reference)) expect(faults(body, approval.body)).toEqual([]);
    },
  );

  it('tells banks, balances and its list in their form', async () => {
    expect(faults((await chapa.call('GET', '/v1/banks')).body, banks)).toEqual([]);
    expect(faults((await chapa.call('GET', '/v1/balances')).body, balances.res)).toEqual([]);
    expect((await chapa.call('GET', '/v1/balances/usd')).body.data).toEqual([]);
    const page = (await chapa.call('GET', '/v1/transfers?page=2')).body;
    expect(faults(page, list.res)).toEqual([]);
    expect(page.data).toHaveLength(10);
    expect(faults((await chapa.call('GET', '/v1/transfers?page=0')).body, list.res)).toEqual([]);
  });

  it('has words for what is no operation', async () => {
    const answer = await chapa.call('GET', '/v1/other');
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ status: 'failed' });
  });
});
