import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PermanentEventError } from '@vuka/messaging';
import { Webhook } from 'standardwebhooks';

import { NotifierFixture } from './notifier-fixture.spec-support.js';
import { orderEvent, status, until } from './notifier.spec-support.js';

const fixture = new NotifierFixture();
const { receiver, event, tell, delivery, state, attempts, later, secretOf } = fixture;

beforeAll(() => fixture.open(), 60_000);
afterAll(() => fixture.close());
beforeEach(() => fixture.begin());
afterEach(() => fixture.end());

describe('a webhook', () => {
  it('is the flat snapshot, signed as the public package wants it, and logged without body or query', async () => {
    const partner = await receiver();
    const told = event({
      type: 'transaction.complete',
      sequence: 2,
      url: `${partner.url}/hook?b=%7e&a='x'&token=sesame`,
    });
    await fixture.eventBus.deliver(told);
    await until(async () => (await state(2)) === 'delivered');

    expect(partner.received).toHaveLength(1);
    const { path, headers, body } = partner.received[0]!;
    expect(path).toBe(`/hook?b=%7e&a='x'&token=sesame`);
    expect(body).toBe(JSON.stringify(told.data.payload));
    expect(headers).toMatchObject({
      'webhook-id': '7_2',
      'x-vuka-event': 'transaction.complete',
      'x-vuka-sequence': '2',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Vuka/),
    });
    expect(new Webhook(await secretOf(1)).verify(body, headers as Record<string, string>)).toEqual(told.data.payload);
    expect(await attempts()).toEqual([{ status: 200, error: null, duration_ms: expect.any(Number), attempt: 1 }]);
    const lines = fixture.logged.join('');
    expect(lines).toContain('webhook delivered');
    for (const hidden of ['sesame', 'naïve', 'whsec_']) expect(lines).not.toContain(hidden);
  });

  it('of an order has the number of the order, and the flat body of an order', async () => {
    const partner = await receiver();
    const facts = {
      transactionId: 5_000_000_000_000_001,
      url: `${partner.url}/orders`,
      occurredAt: fixture.clock.now(),
    };
    const complete = orderEvent({ ...facts, type: 'order.complete', sequence: 2 });
    await fixture.eventBus.deliver(complete);
    // Superseded before it arrived: never sent.
    await fixture.eventBus.deliver(orderEvent({ ...facts, type: 'order.processing', sequence: 1 }));
    await fixture.eventBus.deliver(
      orderEvent({ ...facts, transactionId: 5_000_000_000_000_002, url: null, type: 'order.failed', sequence: 1 }),
    );
    await until(async () => (await state(2, 5_000_000_000_000_001)) === 'delivered');

    expect(await fixture.db.query('select 1 from inbox')).toHaveLength(3);
    expect(partner.received).toHaveLength(1);
    const { path, headers, body } = partner.received[0]!;
    expect(path).toBe('/orders');
    expect(JSON.parse(body)).toEqual({
      status: 'COMPLETE',
      order_id: 'order-5000000000000001',
      message: 'naïve – état',
    });
    expect(headers).toMatchObject({
      'webhook-id': '5000000000000001_2',
      'x-vuka-event': 'order.complete',
      'x-vuka-sequence': '2',
    });
    expect(new Webhook(await secretOf(1)).verify(body, headers as Record<string, string>)).toEqual(
      complete.data.payload,
    );
  });

  it('is not made if no URL is set: the event is only marked as handled', async () => {
    await tell({ type: 'transaction.complete', sequence: 1, url: null });
    expect(await fixture.db.query('select 1 from inbox')).toHaveLength(1);
    expect(await fixture.db.query('select 1 from deliveries')).toHaveLength(0);
  });

  it('is sent once, also if its event comes repeatedly or concurrently', async () => {
    const partner = await receiver();
    const told = event({ type: 'transaction.complete', sequence: 1, url: partner.url });
    await Promise.all(Array.from({ length: 5 }, () => fixture.eventBus.deliver(told)));
    await until(async () => (await state(1)) === 'delivered');
    await fixture.eventBus.deliver(told);
    const last = event({ type: 'transaction.reversed', sequence: 2, url: partner.url });
    await fixture.eventBus.deliver(last);
    await until(async () => (await state(2)) === 'delivered');
    expect(partner.received.map(({ headers }) => headers['webhook-id'])).toEqual(['7_1', '7_2']);
  });

  it('is refused for good where the event cannot be acted on', async () => {
    await expect(tell({ type: 'transaction.complete', sequence: 1, url: 'no url' })).rejects.toBeInstanceOf(
      PermanentEventError,
    );
    expect(await fixture.db.query('select 1 from inbox')).toHaveLength(0);
  });
});

describe('order', () => {
  it('supersedes an older non-final state that waits for a retry, and does not wait for it', async () => {
    const partner = await receiver(status(500));
    await tell({ type: 'transaction.processing', sequence: 1, url: partner.url });
    await until(async () => (await delivery(1))?.attempts === 1);
    partner.answer = status(200);
    await tell({ type: 'transaction.complete', sequence: 2, url: partner.url });
    await until(async () => (await state(2)) === 'delivered');
    expect(await state(1)).toBe('superseded');
    await later(3_600_000);
    await tell({ type: 'transaction.reversed', sequence: 3, url: partner.url });
    await until(async () => (await state(3)) === 'delivered');
    expect(partner.received.map(({ headers }) => headers['x-vuka-sequence'])).toEqual(['1', '2', '3']);
  });

  it('never sends a non-final state that comes after a newer one', async () => {
    const partner = await receiver();
    await tell({ type: 'transaction.complete', sequence: 2, url: partner.url });
    await tell({ type: 'transaction.processing', sequence: 1, url: partner.url });
    await until(async () => (await state(2)) === 'delivered');
    expect(await state(1)).toBe('superseded');
    expect(partner.received).toHaveLength(1);
  });

  it('sends a newer state while the older one is still being sent; the older one is not tried again', async () => {
    let hold: (() => void) | undefined;
    const partner = await receiver(({ headers }, response) => {
      if (headers['x-vuka-sequence'] === '1') hold = () => response.writeHead(500).end();
      else response.end();
    });
    await tell({ type: 'transaction.processing', sequence: 1, url: partner.url });
    await until(() => hold !== undefined);
    await tell({ type: 'transaction.complete', sequence: 2, url: partner.url });
    await until(async () => (await state(2)) === 'delivered');
    hold!();
    await until(async () => (await delivery(1))?.attempts === 1);
    expect(await delivery(1)).toMatchObject({ state: 'superseded', next_attempt_at: null });
  });

  it('counts an overtaken one as delivered when it got through after all', async () => {
    let hold: (() => void) | undefined;
    const partner = await receiver(({ headers }, response) => {
      if (headers['x-vuka-sequence'] === '1') hold = () => response.end();
      else response.end();
    });
    await tell({ type: 'transaction.processing', sequence: 1, url: partner.url });
    await until(() => hold !== undefined);
    await tell({ type: 'transaction.failed', sequence: 2, url: partner.url });
    await until(async () => (await state(2)) === 'delivered');
    hold!();
    await until(async () => (await state(1)) === 'delivered');
  });

  it('delivers both COMPLETE and REVERSED, the older of them late', async () => {
    const partner = await receiver(
      ({ headers }, response) => void response.writeHead(headers['x-vuka-sequence'] === '1' ? 500 : 200).end(),
    );
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url });
    await tell({ type: 'transaction.reversed', sequence: 2, url: partner.url });
    await until(async () => (await state(2)) === 'delivered' && (await delivery(1))?.attempts === 1);
    expect(await state(1)).toBe('pending');
    partner.answer = status(204);
    await later(6_000);
    await until(async () => (await state(1)) === 'delivered');
  });
});

describe('the outbound guard', () => {
  it('lets no webhook reach a private address where that is not allowed', async () => {
    await fixture.notifier.stop();
    await fixture.start({ env: 'sandbox', webhookAllowPrivate: false, webhookPayloadDays: 30 });
    const partner = await receiver();
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url });
    await until(async () => (await delivery(1))?.attempts === 1);
    expect(await attempts()).toMatchObject([{ status: null, error: 'blocked_address' }]);
    expect(partner.received).toHaveLength(0);
  });
});

describe('a partner’s secret', () => {
  it('is made once for concurrent requests, and is the same after a restart', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => secretOf(5)));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^whsec_/);
    expect(Buffer.from(answers[0]!.slice('whsec_'.length), 'base64')).toHaveLength(32);
    await fixture.notifier.stop();
    await fixture.start();
    expect(await secretOf(5)).toBe(answers[0]);
    expect(await secretOf(6)).not.toBe(answers[0]);
  });

  it('is sealed at rest, for its own row only', async () => {
    const secret = await secretOf(5);
    const [row] = await fixture.db.query<{ sealed_secret: string }>(
      'select sealed_secret from webhook_secrets where partner_id = 5',
    );
    expect(row!.sealed_secret).not.toContain(secret.slice('whsec_'.length));
    await fixture.db.query(
      'insert into webhook_secrets select 6, sealed_secret, created_at from webhook_secrets where partner_id = 5',
    );
    await expect(secretOf(6)).rejects.toThrow();
  });
});
