import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { notifierApi } from '@vuka/contracts';

import { DeliveryFixture, DOWN, TRIES } from '../testing/delivery-fixture.spec-support.js';
import { context, LogAsked, valueOf } from './log-asked.spec-support.js';

const DAY_MS = 86_400_000;
const NUMBERS_OF_TESTS = 7_000_000_000_000_000;

let fixture: DeliveryFixture;
const { page, ids, resend, resendAll } = new LogAsked(() => fixture);

beforeAll(async () => {
  fixture = await DeliveryFixture.start();
}, 60_000);
afterAll(() => fixture.stop());
beforeEach(() => fixture.clear());

describe('the log of a partner', () => {
  it('has each webhook with its attempts and its body', async () => {
    fixture.answers.set('b.example', DOWN);
    await fixture.tell({ transactionId: 41, host: 'b.example' });
    const told = fixture.clock.now();
    await fixture.deliver(1, 1_000);
    const { deliveries } = await page();
    expect(deliveries).toEqual([
      {
        id: expect.any(Number),
        webhook_id: '41_1',
        event: 'transaction.complete',
        sequence: 1,
        transaction_code: 'order-41',
        order_id: '',
        url: 'https://b.example/hooks?x=1',
        state: 'pending',
        attempts: 1,
        last_status: 503,
        last_error: null,
        created_at: told.toISOString(),
        next_attempt_at: new Date(told.getTime() + 5_000).toISOString(),
        settled_at: null,
        payload: { status: 'COMPLETE', transaction_code: 'order-41', message: 'naïve – état' },
        log: [
          { attempt: 1, started_at: told.toISOString(), duration_ms: expect.any(Number), status: 503, error: null },
        ],
      },
    ]);
    fixture.answers.set('b.example', { kind: 'failed', error: 'timeout' });
    await fixture.deliver(TRIES);
    expect((await page()).deliveries[0]).toMatchObject({
      state: 'failed',
      attempts: TRIES,
      last_status: null,
      last_error: 'timeout',
      next_attempt_at: null,
      settled_at: expect.any(String),
    });
  });

  it('comes in pages, newest first, while new webhooks are added', async () => {
    for (let id = 1; id <= 5; id += 1) {
      await fixture.tell({ transactionId: id });
      if (id % 2 === 0) await fixture.deliver(1, 0);
      fixture.clock.advance(id === 3 ? 0 : 1_000);
    }
    const first = await page({ limit: 2 });
    await fixture.tell({ transactionId: 6 });
    const second = await page({ limit: 2, cursor: first.next_cursor });
    const third = await page({ limit: 2, cursor: second.next_cursor });
    expect([first, second, third].map(({ deliveries }) => deliveries.map(({ webhook_id }) => webhook_id))).toEqual([
      ['5_1', '4_1'],
      ['3_1', '2_1'],
      ['1_1'],
    ]);
    expect(third.next_cursor).toBeNull();
  });

  it('is filtered by state, event, transaction, order and days', async () => {
    fixture.answers.set('dead.example', DOWN);
    await fixture.tell({ transactionId: 1, host: 'dead.example' });
    await fixture.deliver(TRIES);
    await fixture.tell({ transactionId: 2, type: 'transaction.processing' });
    await fixture.tellOrder(3);
    await fixture.deliver(1, DAY_MS);
    const lastDay = fixture.clock.now();
    await fixture.tell({ transactionId: 4 });
    expect(await ids({ state: 'failed' })).toEqual(['1_1']);
    expect(await ids({ state: 'pending' })).toEqual(['4_1']);
    expect(await ids({ event: 'transaction.processing' })).toEqual(['2_1']);
    expect(await ids({ transaction_code: 'order-2' })).toEqual(['2_1']);
    // Transaction and order codes are separate.
    expect(await ids({ transaction_code: 'order-3' })).toEqual([]);
    expect(await ids({ order_id: 'order-3' })).toEqual(['3_1']);
    expect(await ids({ order_id: 'order-3', transaction_code: 'order-3' })).toEqual([]);
    expect(await ids({ from: lastDay.toISOString() })).toEqual(['4_1']);
    expect(await ids({ before: lastDay.toISOString(), state: 'delivered' })).toEqual(['3_1', '2_1']);
  });

  it('is of nobody else', async () => {
    await fixture.tell({ transactionId: 1, partnerId: 2 });
    expect(await ids()).toEqual([]);
    expect(await ids({ transaction_code: 'order-1' })).toEqual([]);
    expect(await ids({ partner_id: 2 })).toEqual(['1_1']);
  });

  it.each([
    '',
    'x',
    'eyJ9',
    Buffer.from('["2026-01-01T00:00:00.000Z","1"]').toString('base64url'),
    Buffer.from('[1,2]').toString('base64url'),
  ])('refuses %j as a cursor', async (cursor) => {
    const input = {
      partner_id: 1,
      state: null,
      event: null,
      transaction_code: null,
      order_id: null,
      from: null,
      before: null,
      limit: 1,
      cursor,
    };
    expect(await fixture.operations.listDeliveries(input, context)).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', faults: [{ pointer: '/cursor' }] },
    });
    expect(await resendAll({ cursor })).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
  });

  it('reads only as many rows as a page needs', async () => {
    await fixture.db.query(
      `insert into deliveries (transaction_id, sequence, occurred_at, partner_id, event_type, is_final, callback_url, host, body, traceparent, code, state, attempts, created_at, settled_at)
       select n, 1, now(), 1, 'transaction.complete', true, 'https://a.example', 'a.example', '{}', '', 'order-' || n, 'delivered', 1, now() - n * interval '1 s', now()
       from generate_series(1, 20000) as n`,
    );
    await fixture.db.query('update deliveries set body = $1 where transaction_id = 19999', [
      fixture.vault.sealBody({ transactionId: 19_999, sequence: 1 }, '{}'),
    ]);
    await fixture.db.query('analyze deliveries');
    const plan = await fixture.db.query<{ 'QUERY PLAN': string }>(
      `explain select 1 from unnest($1::text[]) as wanted (state) cross join lateral (
         select * from deliveries where partner_id = 1 and state = wanted.state and created_at >= 'epoch' and (created_at, id) < ('9999-01-01', 0)
         order by created_at desc, id desc limit 51) d`,
      [['delivered', 'pending']],
    );
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(text).toContain('_partner_id_state_created_at_id_idx');
    expect(text).not.toMatch(/Seq Scan on deliveries/);
    expect(await ids({ transaction_code: 'order-19999' })).toEqual(['19999_1']);
  });
});

describe('a test webhook', () => {
  const test = (partnerId = 1) =>
    fixture.operations.testWebhook({ partner_id: partnerId, url: 'https://t.example/hooks?secret=1' }, context);

  it('is sent once, signed like any other, and has a number of its own', async () => {
    fixture.answers.set('t.example', DOWN);
    const due = notifierApi.operations.testWebhook.output.parse(valueOf(await test()));
    const number = Number(due.webhook_id.split('_')[0]);
    expect(number).toBeGreaterThanOrEqual(NUMBERS_OF_TESTS);
    expect(due).toMatchObject({
      event: 'webhook.test',
      transaction_code: `test-${number}`,
      order_id: '',
      state: 'pending',
      attempts: 0,
      log: [],
      payload: { status: 'TEST', transaction_code: `test-${number}` },
    });
    await fixture.deliver(2);
    expect(fixture.posted).toHaveLength(1);
    expect(fixture.posted[0]).toMatchObject({
      url: 'https://t.example/hooks?secret=1',
      headers: {
        'webhook-id': due.webhook_id,
        'x-vuka-event': 'webhook.test',
        'x-vuka-sequence': '1',
        traceparent: context.traceparent,
      },
    });
    expect((await page({ transaction_code: due.transaction_code })).deliveries[0]).toMatchObject({
      id: due.id,
      state: 'failed',
      attempts: 1,
      last_status: 503,
    });
    expect(valueOf(await test()).webhook_id).not.toBe(due.webhook_id);
  });

  it('is refused after ten within a minute, also concurrently; other partners and later tests are not', async () => {
    const sent = await Promise.all(Array.from({ length: 14 }, () => test()));
    expect(sent.filter(({ ok }) => ok)).toHaveLength(10);
    expect(sent.find(({ ok }) => !ok)).toMatchObject({ error: { code: 'rate_limited', retryAfterS: 60 } });
    expect((await test(2)).ok).toBe(true);
    fixture.clock.advance(60_001);
    expect((await test()).ok).toBe(true);
  });
});

describe('the bodies of deliveries', () => {
  const expire = (clockAgrees = true) => fixture.expiring(clockAgrees).run();

  it('expires at rest: the log stays, and nothing of it can be sent again', async () => {
    fixture.answers.set('dead.example', DOWN);
    await fixture.tell({ transactionId: 1 });
    await fixture.tellOrder(2);
    await fixture.deliver();
    await fixture.tell({ transactionId: 3, host: 'dead.example' });
    await fixture.deliver(5);
    fixture.clock.advance(30 * DAY_MS - 12 * DAY_MS);
    await expire();
    expect((await page()).deliveries.map(({ payload }) => payload === null)).toEqual([false, false, false]);
    fixture.clock.advance(DAY_MS);
    await expire(false);
    expect((await page()).deliveries.every(({ payload }) => payload !== null)).toBe(true);
    await expire();
    const { deliveries } = await page();
    expect(
      deliveries.map(({ webhook_id, payload, transaction_code: code, order_id: order }) => [
        webhook_id,
        payload === null,
        code,
        order,
      ]),
    ).toEqual([
      ['3_1', false, 'order-3', ''],
      ['2_1', true, '', 'order-2'],
      ['1_1', true, 'order-1', ''],
    ]);
    expect(deliveries[2]!.log).toHaveLength(1);
    expect(await ids({ transaction_code: 'order-1' })).toEqual(['1_1']);
    expect(await resend(deliveries[2]!.id)).toMatchObject({
      ok: false,
      error: { code: 'not_found', message: expect.stringContaining('expired') },
    });
    expect(valueOf(await resendAll({ state: 'delivered' }))).toEqual({ resent: 0, next_cursor: null });
  });
});
