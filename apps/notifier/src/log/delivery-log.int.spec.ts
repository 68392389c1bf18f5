import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { notifierApi, type CallContext, type DeliveryView } from '@vuka/contracts';
import type { Result } from '@vuka/domain';
import { until } from '@vuka/testing';

import { DeliveryScene, DOWN, LONG_MS, TRIES } from '../deliveries/delivery-scene.spec-support.js';
import { ExpirePayloads } from '../deliveries/expire-payloads.js';

const context: CallContext = {
  requestId: 'r',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  deadline: Date.now() + 60_000,
};
const DAY_MS = 86_400_000;
const NUMBERS_OF_TESTS = 7_000_000_000_000_000;

let scene: DeliveryScene;

beforeAll(async () => {
  scene = await DeliveryScene.start();
}, 60_000);
afterAll(() => scene.stop());
beforeEach(() => scene.clear());

type ListInput = Parameters<DeliveryScene['operations']['listDeliveries']>[0];

const valueOf = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};

async function page(
  wanted: Partial<ListInput> = {},
): Promise<{ deliveries: readonly DeliveryView[]; next_cursor: string | null }> {
  const input = {
    partner_id: 1,
    state: null,
    event: null,
    transaction_code: null,
    order_id: null,
    from: null,
    before: null,
    cursor: null,
    limit: 50,
    ...wanted,
  };
  // As the wire would hand it over.
  return notifierApi.operations.listDeliveries.output.parse(
    valueOf(await scene.operations.listDeliveries(input, context)),
  );
}

const ids = async (wanted: Partial<ListInput> = {}): Promise<string[]> =>
  (await page(wanted)).deliveries.map(({ webhook_id }) => webhook_id);
const resend = (id: number, partnerId = 1) =>
  scene.operations.resendDelivery({ partner_id: partnerId, delivery_id: id }, context);
const resendAll = (wanted: Partial<Parameters<DeliveryScene['operations']['resendDeliveries']>[0]> = {}) =>
  scene.operations.resendDeliveries(
    { partner_id: 1, state: 'failed', event: null, from: null, before: null, cursor: null, ...wanted },
    context,
  );
const rowsOf = () =>
  scene.db.query('select id, state, attempts, next_attempt_at, resent_at from deliveries order by id');

describe('the log of a partner', () => {
  it('has each webhook with its attempts and what it told', async () => {
    scene.answers.set('b.example', DOWN);
    await scene.tell({ transactionId: 41, host: 'b.example' });
    const told = scene.clock.now();
    await scene.deliver(1, 1_000);
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
    scene.answers.set('b.example', { kind: 'failed', error: 'timeout' });
    await scene.deliver(TRIES);
    expect((await page()).deliveries[0]).toMatchObject({
      state: 'failed',
      attempts: TRIES,
      last_status: null,
      last_error: 'timeout',
      next_attempt_at: null,
      settled_at: expect.any(String),
    });
  });

  it('comes in pages, newest first, whatever is told meanwhile', async () => {
    for (let id = 1; id <= 5; id += 1) {
      await scene.tell({ transactionId: id });
      if (id % 2 === 0) await scene.deliver(1, 0);
      scene.clock.advance(id === 3 ? 0 : 1_000);
    }
    const first = await page({ limit: 2 });
    await scene.tell({ transactionId: 6 });
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
    scene.answers.set('dead.example', DOWN);
    await scene.tell({ transactionId: 1, host: 'dead.example' });
    await scene.deliver(TRIES);
    await scene.tell({ transactionId: 2, type: 'transaction.processing' });
    await scene.tellOrder(3);
    await scene.deliver(1, DAY_MS);
    const lastDay = scene.clock.now();
    await scene.tell({ transactionId: 4 });
    expect(await ids({ state: 'failed' })).toEqual(['1_1']);
    expect(await ids({ state: 'pending' })).toEqual(['4_1']);
    expect(await ids({ event: 'transaction.processing' })).toEqual(['2_1']);
    expect(await ids({ transaction_code: 'order-2' })).toEqual(['2_1']);
    // A name of a transaction and of an order are two names.
    expect(await ids({ transaction_code: 'order-3' })).toEqual([]);
    expect(await ids({ order_id: 'order-3' })).toEqual(['3_1']);
    expect(await ids({ order_id: 'order-3', transaction_code: 'order-3' })).toEqual([]);
    expect(await ids({ from: lastDay.toISOString() })).toEqual(['4_1']);
    expect(await ids({ before: lastDay.toISOString(), state: 'delivered' })).toEqual(['3_1', '2_1']);
  });

  it('finds what a notifier of the release before has written, which knew no codes', async () => {
    await scene.tell({ transactionId: 1 });
    await scene.db.query('update deliveries set code = null');
    expect((await page({ transaction_code: 'order-1' })).deliveries[0]).toMatchObject({
      webhook_id: '1_1',
      transaction_code: 'order-1',
    });
  });

  it('is of nobody else', async () => {
    await scene.tell({ transactionId: 1, partnerId: 2 });
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
    expect(await scene.operations.listDeliveries(input, context)).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', faults: [{ pointer: '/cursor' }] },
    });
    expect(await resendAll({ cursor })).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
  });

  it('looks no further than a page needs, however many there are', async () => {
    await scene.db.query(
      `insert into deliveries (transaction_id, sequence, occurred_at, partner_id, event_type, is_final, callback_url, host, body, traceparent, code, state, attempts, created_at, settled_at)
       select n, 1, now(), 1, 'transaction.complete', true, 'https://a.example', 'a.example', '{}', '', 'order-' || n, 'delivered', 1, now() - n * interval '1 s', now()
       from generate_series(1, 20000) as n`,
    );
    await scene.db.query('analyze deliveries');
    const plan = await scene.db.query<{ 'QUERY PLAN': string }>(
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

describe('a webhook that is asked for again', () => {
  it('goes out under its own webhook-id with the same body, and its retries begin anew', async () => {
    scene.answers.set('a.example', DOWN);
    await scene.tell({ transactionId: 41 });
    await scene.deliver(TRIES);
    const [given] = (await page()).deliveries;
    const before = scene.posted.at(-1)!;
    expect(valueOf(await resend(given!.id))).toMatchObject({
      id: given!.id,
      webhook_id: '41_1',
      state: 'pending',
      next_attempt_at: scene.clock.now().toISOString(),
      settled_at: null,
      attempts: TRIES,
    });
    await scene.deliver(1, 0);
    const again = scene.posted.at(-1)!;
    expect([again.headers['webhook-id'], again.body]).toEqual(['41_1', before.body]);
    expect((await page()).deliveries[0]).toMatchObject({
      state: 'pending',
      attempts: TRIES + 1,
      next_attempt_at: new Date(scene.clock.now().getTime() + 5_000).toISOString(),
    });
    scene.answers.clear();
    scene.clock.advance(LONG_MS);
    await scene.deliver();
    const [row] = (await page()).deliveries;
    expect(row).toMatchObject({ state: 'delivered', attempts: TRIES + 2, last_status: 204 });
    expect(row!.log.map(({ attempt }) => attempt)).toEqual(Array.from({ length: TRIES + 2 }, (_, index) => index + 1));
  });

  it('may be one that was delivered, overtaken or ended, and a newer one overtakes it no more', async () => {
    scene.answers.set('a.example', DOWN);
    await scene.tell({ transactionId: 1, sequence: 1, type: 'transaction.processing' });
    await scene.deliver(1, 0);
    await scene.tell({ transactionId: 1, sequence: 2 });
    const older = (await page({ state: 'superseded' })).deliveries[0]!;
    valueOf(await resend(older.id));
    await scene.deliver(1, 0);
    // Its retry waits beside the newer one's.
    expect(await ids({ state: 'pending' })).toEqual(['1_2', '1_1']);
    await scene.tell({ transactionId: 1, sequence: 3 });
    expect(await ids({ state: 'pending' })).toEqual(['1_3', '1_2', '1_1']);
    scene.answers.set('a.example', { kind: 'answered', status: 410, retryAfter: null });
    scene.clock.advance(LONG_MS);
    await scene.deliver();
    expect(await ids({ state: 'ended' })).toEqual(['1_3', '1_2', '1_1']);
    scene.answers.clear();
    for (const { id } of (await page()).deliveries) valueOf(await resend(id));
    await scene.deliver();
    expect(await ids({ state: 'delivered' })).toEqual(['1_3', '1_2', '1_1']);
  });

  it('is due at once where its next retry is far, and goes on as it is where it is about to be sent', async () => {
    scene.answers.set('a.example', DOWN);
    await scene.tell({ transactionId: 1 });
    const [{ id }] = (await page()).deliveries as [DeliveryView];
    const due = await rowsOf();
    valueOf(await resend(id));
    expect(await rowsOf()).toEqual(due);
    await scene.deliver(4);
    await scene.deliver(1, 0);
    expect(Date.parse(valueOf(await resend(id)).next_attempt_at!)).toBe(scene.clock.now().getTime());
  });

  it('is not there for another partner, and nothing changes', async () => {
    await scene.tell({ transactionId: 1 });
    await scene.deliver();
    const before = await rowsOf();
    const [{ id }] = (await page()).deliveries as [DeliveryView];
    const foreign = await resend(id, 2);
    expect(foreign).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(foreign).toEqual(await resend(999_999_999, 2));
    expect(valueOf(await resendAll({ partner_id: 2, state: 'delivered' }))).toEqual({ resent: 0, next_cursor: null });
    expect(await rowsOf()).toEqual(before);
  });

  it('is one of many: all that were given up, of days and an event, up to 1,000 a call', async () => {
    await scene.db.query(
      `insert into deliveries (transaction_id, sequence, occurred_at, partner_id, event_type, is_final, callback_url, host, body, traceparent, state, attempts, created_at, settled_at)
       select n, 1, $1::timestamptz, 1, case when n <= 2 then 'transaction.failed' else 'transaction.complete' end, true, 'https://a.example', 'a' || n % 3 || '.example', '{}', '',
              'exhausted', 10, $1::timestamptz + n * interval '1 ms', $1::timestamptz
       from generate_series(1, 1500) as n`,
      [scene.clock.now()],
    );
    const from = new Date(scene.clock.now().getTime() + 1_400).toISOString();
    expect(valueOf(await resendAll({ event: 'transaction.failed' }))).toEqual({ resent: 2, next_cursor: null });
    expect(valueOf(await resendAll({ from }))).toEqual({ resent: 101, next_cursor: null });
    const first = valueOf(await resendAll());
    expect(first).toEqual({ resent: 1_000, next_cursor: expect.any(String) });
    expect(valueOf(await resendAll({ cursor: first.next_cursor }))).toEqual({ resent: 397, next_cursor: null });
    expect(
      await scene.db.query(
        'select count(*)::integer as due, count(distinct host)::integer as hosts from deliveries where state = $1',
        ['pending'],
      ),
    ).toEqual([{ due: 1_500, hosts: 3 }]);
    expect(
      await scene.db.query('select count(*)::integer as lanes from delivery_lanes where due_at is not null'),
    ).toEqual([{ lanes: 3 }]);
  });
});

describe('a webhook that was sent very many times', () => {
  it('is not sent again, and whatever it counts stops nobody', async () => {
    await scene.tell({ transactionId: 1 });
    await scene.tell({ transactionId: 2 });
    await scene.deliver();
    await scene.db.query('update deliveries set attempts = 999 where transaction_id = 1');
    const { id } = (await page({ transaction_code: 'order-1' })).deliveries[0]!;
    valueOf(await resend(id));
    scene.answers.set('a.example', DOWN);
    await scene.deliver(TRIES);
    expect((await page({ transaction_code: 'order-1' })).deliveries[0]).toMatchObject({
      state: 'failed',
      attempts: 999 + TRIES,
    });
    expect(await resend(id)).toMatchObject({
      ok: false,
      error: { code: 'not_found', message: expect.stringContaining('very many times') },
    });
    expect(valueOf(await resendAll())).toEqual({ resent: 0, next_cursor: null });
    scene.answers.clear();
    expect(valueOf(await resendAll({ state: 'delivered' }))).toEqual({ resent: 1, next_cursor: null });
    await scene.deliver();
    expect(await ids({ state: 'delivered' })).toEqual(['2_1']);
  });
});

describe('a webhook that expires while it is asked for again', () => {
  it('is told to have expired, once its row is free', async () => {
    await scene.tell({ transactionId: 1 });
    await scene.deliver();
    const [{ id }] = (await page()).deliveries as [DeliveryView];
    const asked = await scene.db.inTransaction(async (tx) => {
      await tx.query('update deliveries set body = null');
      const waits = resend(id);
      await until(
        async () =>
          (
            await scene.db.query(
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
  it('is waited for within the request, which is told to try again, and nothing is sent', async () => {
    await scene.tell({ transactionId: 1 });
    await scene.deliver();
    const [{ id }] = (await page()).deliveries as [DeliveryView];
    const before = await rowsOf();
    const lists = await scene.lists(200);
    try {
      const operations = scene.operationsOn(lists);
      await scene.db.inTransaction(async (tx) => {
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
    scene.answers.set('a.example', DOWN);
    for (const transactionId of [1, 2]) await scene.tell({ transactionId });
    await scene.deliver(TRIES);
    await scene.db.inTransaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock(hashtextextended('notifier.resend.1', 0))");
      expect(await resendAll()).toMatchObject({ ok: false, error: { code: 'rate_limited', retryAfterS: 1 } });
      expect(valueOf(await resendAll({ partner_id: 2 }))).toEqual({ resent: 0, next_cursor: null });
    });
    expect(valueOf(await resendAll())).toEqual({ resent: 2, next_cursor: null });
  });
});

describe('a test webhook', () => {
  const test = (partnerId = 1) =>
    scene.operations.testWebhook({ partner_id: partnerId, url: 'https://t.example/hooks?secret=1' }, context);

  it('is sent once, signed like any other, and has a number of its own', async () => {
    scene.answers.set('t.example', DOWN);
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
    await scene.deliver(2);
    expect(scene.posted).toHaveLength(1);
    expect(scene.posted[0]).toMatchObject({
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

  it('is refused when there were ten within a minute, also of as many at once; of others, and later, it is not', async () => {
    const sent = await Promise.all(Array.from({ length: 14 }, () => test()));
    expect(sent.filter(({ ok }) => ok)).toHaveLength(10);
    expect(sent.find(({ ok }) => !ok)).toMatchObject({ error: { code: 'rate_limited', retryAfterS: 60 } });
    expect((await test(2)).ok).toBe(true);
    scene.clock.advance(60_001);
    expect((await test()).ok).toBe(true);
  });
});

describe('what deliveries told', () => {
  const expire = (clockAgrees = true) =>
    new ExpirePayloads({
      db: scene.db,
      clock: scene.clock,
      log: scene.log,
      payloadDays: 30,
      clockAgrees: async () => clockAgrees,
    }).run();

  it('expires at rest: the log stays, and nothing of it can be sent again', async () => {
    scene.answers.set('dead.example', DOWN);
    await scene.tell({ transactionId: 1 });
    await scene.tellOrder(2);
    await scene.db.query('update deliveries set code = null');
    await scene.deliver();
    await scene.tell({ transactionId: 3, host: 'dead.example' });
    await scene.deliver(5);
    scene.clock.advance(30 * DAY_MS - 12 * DAY_MS);
    await expire();
    expect((await page()).deliveries.map(({ payload }) => payload === null)).toEqual([false, false, false]);
    scene.clock.advance(DAY_MS);
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
