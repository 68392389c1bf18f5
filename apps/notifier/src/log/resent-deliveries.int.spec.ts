import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeliveryView } from '@vuka/contracts';
import { until } from '@vuka/testing';

import { DeliveryFixture, DOWN, LONG_MS, TRIES } from '../testing/delivery-fixture.spec-support.js';
import { context, LogAsked, valueOf } from './log-asked.spec-support.js';

let fixture: DeliveryFixture;
const { page, ids, resend, resendAll, rowsOf } = new LogAsked(() => fixture);

beforeAll(async () => {
  fixture = await DeliveryFixture.start();
}, 60_000);
afterAll(() => fixture.stop());
beforeEach(() => fixture.clear());

describe('a webhook that is asked for again', () => {
  it('keeps its webhook-id and body, and its retries start again', async () => {
    fixture.answers.set('a.example', DOWN);
    await fixture.tell({ transactionId: 41 });
    await fixture.deliver(TRIES);
    const [given] = (await page()).deliveries;
    const before = fixture.posted.at(-1)!;
    expect(valueOf(await resend(given!.id))).toMatchObject({
      id: given!.id,
      webhook_id: '41_1',
      state: 'pending',
      next_attempt_at: fixture.clock.now().toISOString(),
      settled_at: null,
      attempts: TRIES,
    });
    await fixture.deliver(1, 0);
    const again = fixture.posted.at(-1)!;
    expect([again.headers['webhook-id'], again.body]).toEqual(['41_1', before.body]);
    expect((await page()).deliveries[0]).toMatchObject({
      state: 'pending',
      attempts: TRIES + 1,
      next_attempt_at: new Date(fixture.clock.now().getTime() + 5_000).toISOString(),
    });
    fixture.answers.clear();
    fixture.clock.advance(LONG_MS);
    await fixture.deliver();
    const [row] = (await page()).deliveries;
    expect(row).toMatchObject({ state: 'delivered', attempts: TRIES + 2, last_status: 204 });
    expect(row!.log.map(({ attempt }) => attempt)).toEqual(Array.from({ length: TRIES + 2 }, (_, index) => index + 1));
  });

  it('may be one that was delivered, overtaken or ended, and a newer one overtakes it no more', async () => {
    fixture.answers.set('a.example', DOWN);
    await fixture.tell({ transactionId: 1, sequence: 1, type: 'transaction.processing' });
    await fixture.deliver(1, 0);
    await fixture.tell({ transactionId: 1, sequence: 2 });
    const older = (await page({ state: 'superseded' })).deliveries[0]!;
    valueOf(await resend(older.id));
    await fixture.deliver(1, 0);
    expect(await ids({ state: 'pending' })).toEqual(['1_2', '1_1']);
    await fixture.tell({ transactionId: 1, sequence: 3 });
    expect(await ids({ state: 'pending' })).toEqual(['1_3', '1_2', '1_1']);
    fixture.answers.set('a.example', { kind: 'answered', status: 410, retryAfter: null });
    fixture.clock.advance(LONG_MS);
    await fixture.deliver();
    expect(await ids({ state: 'ended' })).toEqual(['1_3', '1_2', '1_1']);
    fixture.answers.clear();
    for (const { id } of (await page()).deliveries) valueOf(await resend(id));
    await fixture.deliver();
    expect(await ids({ state: 'delivered' })).toEqual(['1_3', '1_2', '1_1']);
  });

  it('is due at once if its next retry is far away, and unchanged if it is about to be sent', async () => {
    fixture.answers.set('a.example', DOWN);
    await fixture.tell({ transactionId: 1 });
    const [{ id }] = (await page()).deliveries as [DeliveryView];
    const due = await rowsOf();
    valueOf(await resend(id));
    expect(await rowsOf()).toEqual(due);
    await fixture.deliver(4);
    await fixture.deliver(1, 0);
    expect(Date.parse(valueOf(await resend(id)).next_attempt_at!)).toBe(fixture.clock.now().getTime());
  });

  it('is not there for another partner, and nothing changes', async () => {
    await fixture.tell({ transactionId: 1 });
    await fixture.deliver();
    const before = await rowsOf();
    const [{ id }] = (await page()).deliveries as [DeliveryView];
    const foreign = await resend(id, 2);
    expect(foreign).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(foreign).toEqual(await resend(999_999_999, 2));
    expect(valueOf(await resendAll({ partner_id: 2, state: 'delivered' }))).toEqual({ resent: 0, next_cursor: null });
    expect(await rowsOf()).toEqual(before);
  });

  it('is one of many: all that were given up, of days and an event, up to 1,000 a call', async () => {
    await fixture.db.query(
      `insert into deliveries (transaction_id, sequence, occurred_at, partner_id, event_type, is_final, callback_url, host, body, traceparent, code, state, attempts, created_at, settled_at)
       select n, 1, $1::timestamptz, 1, case when n <= 2 then 'transaction.failed' else 'transaction.complete' end, true, 'https://a.example', 'a' || n % 3 || '.example', '{}', '', '',
              'exhausted', 10, $1::timestamptz + n * interval '1 ms', $1::timestamptz
       from generate_series(1, 1500) as n`,
      [fixture.clock.now()],
    );
    const from = new Date(fixture.clock.now().getTime() + 1_400).toISOString();
    expect(valueOf(await resendAll({ event: 'transaction.failed' }))).toEqual({ resent: 2, next_cursor: null });
    expect(valueOf(await resendAll({ from }))).toEqual({ resent: 101, next_cursor: null });
    const first = valueOf(await resendAll());
    expect(first).toEqual({ resent: 1_000, next_cursor: expect.any(String) });
    expect(valueOf(await resendAll({ cursor: first.next_cursor }))).toEqual({ resent: 397, next_cursor: null });
    expect(
      await fixture.db.query(
        'select count(*)::integer as due, count(distinct host)::integer as hosts from deliveries where state = $1',
        ['pending'],
      ),
    ).toEqual([{ due: 1_500, hosts: 3 }]);
    expect(
      await fixture.db.query(
        'select count(*)::integer as delivery_queues from delivery_queues where due_at is not null',
      ),
    ).toEqual([{ delivery_queues: 3 }]);
  });
});

describe('a webhook that was sent very many times', () => {
  it('is not sent again, and does not block others', async () => {
    await fixture.tell({ transactionId: 1 });
    await fixture.tell({ transactionId: 2 });
    await fixture.deliver();
    await fixture.db.query('update deliveries set attempts = 999 where transaction_id = 1');
    const { id } = (await page({ transaction_code: 'order-1' })).deliveries[0]!;
    valueOf(await resend(id));
    fixture.answers.set('a.example', DOWN);
    await fixture.deliver(TRIES);
    expect((await page({ transaction_code: 'order-1' })).deliveries[0]).toMatchObject({
      state: 'failed',
      attempts: 999 + TRIES,
    });
    expect(await resend(id)).toMatchObject({
      ok: false,
      error: { code: 'not_found', message: expect.stringContaining('very many times') },
    });
    expect(valueOf(await resendAll())).toEqual({ resent: 0, next_cursor: null });
    fixture.answers.clear();
    expect(valueOf(await resendAll({ state: 'delivered' }))).toEqual({ resent: 1, next_cursor: null });
    await fixture.deliver();
    expect(await ids({ state: 'delivered' })).toEqual(['2_1']);
  });
});

describe('a webhook that expires while it is asked for again', () => {
  it('is told to have expired, once its row is free', async () => {
    await fixture.tell({ transactionId: 1 });
    await fixture.deliver();
    const [{ id }] = (await page()).deliveries as [DeliveryView];
    const asked = await fixture.db.inTransaction(async (tx) => {
      await tx.query('update deliveries set body = null');
      const waits = resend(id);
      await until(
        async () =>
          (
            await fixture.db.query(
              "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%resent_at%'",
            )
          ).length > 0,
        { withinMs: 10_000, what: 'the resend waits for the row' },
      );
      return { waits };
    });
    expect(await asked.waits).toMatchObject({
      ok: false,
      error: { code: 'not_found', message: expect.stringContaining('expired') },
    });
    expect(await ids({ state: 'delivered' })).toEqual(['1_1']);
  });
});

describe('a webhook or a turn that somebody else keeps', () => {
  it('is waited for within the request, which is then asked to try again, and nothing is sent', async () => {
    await fixture.tell({ transactionId: 1 });
    await fixture.deliver();
    const [{ id }] = (await page()).deliveries as [DeliveryView];
    const before = await rowsOf();
    const lists = await fixture.lists(200);
    try {
      const operations = fixture.operationsOn(lists);
      await fixture.db.inTransaction(async (tx) => {
        await tx.query('select 1 from deliveries for update');
        await tx.query("select pg_advisory_xact_lock(hashtextextended('notifier.test-webhook.1', 0))");
        const unavailable = {
          ok: false,
          error: { code: 'service_unavailable', message: expect.stringContaining('try again') },
        };
        expect(await operations.resendDelivery({ partner_id: 1, delivery_id: id }, context)).toMatchObject(unavailable);
        expect(await operations.testWebhook({ partner_id: 1, url: 'https://t.example/' }, context)).toMatchObject(
          unavailable,
        );
      });
    } finally {
      await lists.close();
    }
    expect(await rowsOf()).toEqual(before);
  });
});

describe('many that are asked for again by many requests at once', () => {
  it('are taken by one of them at a time', async () => {
    fixture.answers.set('a.example', DOWN);
    for (const transactionId of [1, 2]) await fixture.tell({ transactionId });
    await fixture.deliver(TRIES);
    await fixture.db.inTransaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock(hashtextextended('notifier.resend.1', 0))");
      expect(await resendAll()).toMatchObject({ ok: false, error: { code: 'rate_limited', retryAfterS: 1 } });
      expect(valueOf(await resendAll({ partner_id: 2 }))).toEqual({ resent: 0, next_cursor: null });
    });
    expect(valueOf(await resendAll())).toEqual({ resent: 2, next_cursor: null });
  });
});
