import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallContext } from '@vuka/contracts';
import { PermanentEventError } from '@vuka/messaging';
import type { Database } from '@vuka/persistence';
import { createLogger, type ManualClock } from '@vuka/runtime';
import { Webhook } from 'standardwebhooks';

import { startNotifier, type NotifierService } from '../start-notifier.js';
import {
  HandJobs,
  HandWire,
  Receiver,
  orderEvent,
  startTestDatabase,
  status,
  testCipher,
  testClock,
  transactionEvent,
  until,
  type EventFacts,
  type TestDatabase,
} from './notifier.spec-support.js';

const QUEUE = 'notifier.deliver-webhooks';
const context: CallContext = { requestId: 'r', traceparent: '', deadline: Number.MAX_SAFE_INTEGER };

let database: TestDatabase;
let db: Database;
let notifier: NotifierService;
let wire: HandWire;
let jobs: HandJobs;
let clock: ManualClock;
let logged: string[];
let receivers: Receiver[];

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.connect();
}, 60_000);

afterAll(() => database.stop());

async function start(
  settings = { env: 'sandbox' as const, webhookAllowPrivate: true, webhookPayloadDays: 30 },
): Promise<void> {
  wire = new HandWire();
  jobs = new HandJobs();
  const log = createLogger('notifier', {
    level: 'debug',
    destination: { write: (line: string) => void logged.push(line) },
  });
  notifier = await startNotifier({ settings, database: database.config, wire, jobs, clock, log, cipher: testCipher });
  await notifier.start();
}

beforeEach(async () => {
  clock = testClock();
  logged = [];
  receivers = [];
  await start();
  await db.query('truncate deliveries, delivery_attempts, inbox, webhook_secrets');
});

afterEach(async () => {
  await notifier.stop();
  await Promise.all(receivers.map((receiver) => receiver.stop()));
});

async function receiver(...args: Parameters<typeof Receiver.start>): Promise<Receiver> {
  const made = await Receiver.start(...args);
  receivers.push(made);
  return made;
}

type Told = Omit<EventFacts, 'occurredAt' | 'transactionId'> & { transactionId?: number };
const event = (facts: Told): ReturnType<typeof transactionEvent> =>
  transactionEvent({ transactionId: 7, occurredAt: clock.now(), ...facts });
const tell = (facts: Told): Promise<void> => wire.deliver(event(facts));

interface Row {
  readonly state: string;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
  readonly settled_at: Date | null;
}
async function delivery(sequence: number, transactionId = 7): Promise<Row | undefined> {
  const rows = await db.query<Row>('select * from deliveries where transaction_id = $1 and sequence = $2', [
    transactionId,
    sequence,
  ]);
  return rows[0];
}
const state = async (sequence: number, transactionId = 7): Promise<string | undefined> =>
  (await delivery(sequence, transactionId))?.state;
const attempts = (): Promise<{ status: number | null; error: string | null; duration_ms: number; attempt: number }[]> =>
  db.query('select status, error, duration_ms, attempt from delivery_attempts order by delivery_id, attempt');

async function later(ms: number): Promise<void> {
  clock.advance(ms);
  await jobs.wake(QUEUE);
}

async function secretOf(partner: number): Promise<string> {
  const answer = await notifier.handlers.ensureWebhookSecret({ partner_id: partner }, context);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value.secret;
}

describe('a webhook', () => {
  it('is the flat snapshot, signed as the public package wants it, and logged without body or query', async () => {
    const partner = await receiver();
    const told = event({
      type: 'transaction.complete',
      sequence: 2,
      url: `${partner.url}/hook?b=%7e&a='x'&token=sesame`,
    });
    await wire.deliver(told);
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
    const lines = logged.join('');
    expect(lines).toContain('webhook delivered');
    for (const hidden of ['sesame', 'naïve', 'whsec_']) expect(lines).not.toContain(hidden);
  });

  it('of an order has the number of the order, and the flat body of an order', async () => {
    const partner = await receiver();
    const facts = { transactionId: 5_000_000_000_000_001, url: `${partner.url}/orders`, occurredAt: clock.now() };
    const complete = orderEvent({ ...facts, type: 'order.complete', sequence: 2 });
    await wire.deliver(complete);
    // Overtaken before it came: it is not told.
    await wire.deliver(orderEvent({ ...facts, type: 'order.processing', sequence: 1 }));
    await wire.deliver(
      orderEvent({ ...facts, transactionId: 5_000_000_000_000_002, url: null, type: 'order.failed', sequence: 1 }),
    );
    await until(async () => (await state(2, 5_000_000_000_000_001)) === 'delivered');

    expect(await db.query('select 1 from inbox')).toHaveLength(3);
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

  it('is not made where nobody asked to be told: the event is marked as handled, that is all', async () => {
    await tell({ type: 'transaction.complete', sequence: 1, url: null });
    expect(await db.query('select 1 from inbox')).toHaveLength(1);
    expect(await db.query('select 1 from deliveries')).toHaveLength(0);
  });

  it('goes out once however often, and however concurrently, its event is told', async () => {
    const partner = await receiver();
    const told = event({ type: 'transaction.complete', sequence: 1, url: partner.url });
    await Promise.all(Array.from({ length: 5 }, () => wire.deliver(told)));
    await until(async () => (await state(1)) === 'delivered');
    await wire.deliver(told);
    const last = event({ type: 'transaction.reversed', sequence: 2, url: partner.url });
    await wire.deliver(last);
    await until(async () => (await state(2)) === 'delivered');
    expect(partner.received.map(({ headers }) => headers['webhook-id'])).toEqual(['7_1', '7_2']);
  });

  it('is refused for good where the event cannot be acted on', async () => {
    await expect(tell({ type: 'transaction.complete', sequence: 1, url: 'no url' })).rejects.toBeInstanceOf(
      PermanentEventError,
    );
    expect(await db.query('select 1 from inbox')).toHaveLength(0);
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

  it('tells a newer state while the older one is still under way; the older one is not tried again', async () => {
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

describe('a receiver that', () => {
  it('is dead is tried by the schedule, with the same id and bytes and a new timestamp, until it rests', async () => {
    const partner = await receiver(status(503));
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url });
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await until(async () => (await delivery(1))?.attempts === attempt);
      // After its commit, and so after what was just seen.
      if (attempt < 10)
        await until(async () => jobs.asked.at(-1)?.getTime() === (await delivery(1))?.next_attempt_at?.getTime());
      await later(27 * 3_600_000);
    }
    expect(await delivery(1)).toMatchObject({
      state: 'exhausted',
      next_attempt_at: null,
      settled_at: expect.any(Date),
    });
    expect(new Set(partner.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(['7_1']));
    expect(new Set(partner.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(partner.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10);
    expect((await attempts()).map(({ attempt, status: code }) => [attempt, code])).toEqual(
      Array.from({ length: 10 }, (_, n) => [n + 1, 503]),
    );
  });

  it('refuses connections is told apart from one that answers', async () => {
    const gone = await Receiver.start();
    const { url } = gone;
    await gone.stop();
    await tell({ type: 'transaction.complete', sequence: 1, url });
    await until(async () => (await delivery(1))?.attempts === 1);
    expect(await attempts()).toMatchObject([{ status: null, error: 'unreachable' }]);
    expect(await state(1)).toBe('pending');
  });

  it('redirects has failed: nobody goes where it points', async () => {
    const elsewhere = await receiver();
    const partner = await receiver(status(307, { location: `${elsewhere.url}/x` }));
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url });
    await until(async () => (await delivery(1))?.attempts === 1);
    expect(await state(1)).toBe('pending');
    expect(await attempts()).toMatchObject([{ status: 307 }]);
    expect(elsewhere.received).toHaveLength(0);
  });

  it('answers 410 gets no more of that transaction, and everything of others', async () => {
    const partner = await receiver(
      ({ headers }, response) => void response.writeHead(headers['x-vuka-sequence'] === '2' ? 410 : 500).end(),
    );
    await tell({ type: 'transaction.processing', sequence: 1, url: partner.url });
    await until(async () => (await delivery(1))?.attempts === 1);
    await tell({ type: 'transaction.complete', sequence: 2, url: partner.url });
    await until(async () => (await state(2)) === 'ended');
    partner.answer = status(200);
    await tell({ type: 'transaction.reversed', sequence: 3, url: partner.url });
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url, transactionId: 8 });
    await until(async () => (await state(1, 8)) === 'delivered');
    expect(await state(3)).toBe('ended');
    expect(partner.received.map(({ headers }) => headers['webhook-id'])).toEqual(['7_1', '7_2', '8_1']);
  });

  it('answers 410 ends what waits for a retry, final states too', async () => {
    const partner = await receiver(
      ({ headers }, response) => void response.writeHead(headers['x-vuka-sequence'] === '2' ? 410 : 500).end(),
    );
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url });
    await until(async () => (await delivery(1))?.attempts === 1);
    await tell({ type: 'transaction.reversed', sequence: 2, url: partner.url });
    await until(async () => (await state(2)) === 'ended');
    await until(async () => (await state(1)) === 'ended');
  });

  it('answers 410 ends what is under way: it is not tried again', async () => {
    let hold: (() => void) | undefined;
    const partner = await receiver(({ headers }, response) => {
      if (headers['x-vuka-sequence'] === '1') hold = () => response.writeHead(500).end();
      else response.writeHead(410).end();
    });
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url });
    await until(() => hold !== undefined);
    await tell({ type: 'transaction.reversed', sequence: 2, url: partner.url });
    await until(async () => (await state(1)) === 'ended');
    hold!();
    await until(async () => (await delivery(1))?.attempts === 1);
    expect(await delivery(1)).toMatchObject({ state: 'ended', next_attempt_at: null });
  });

  it('asks to be left alone for a while is', async () => {
    const partner = await receiver(status(429, { 'retry-after': '120' }));
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url });
    await until(async () => (await delivery(1))?.attempts === 1);
    expect((await delivery(1))?.next_attempt_at).toEqual(new Date(clock.now().getTime() + 120_000));
  });

  it('is slow, or never ends its answer, has 3 seconds in all', async () => {
    const silent = await receiver(() => undefined);
    const endless = await receiver(
      (_, response) => void response.writeHead(200, { 'content-length': '10' }).write('a'),
    );
    const started = performance.now();
    await tell({ type: 'transaction.complete', sequence: 1, url: silent.url });
    await tell({ type: 'transaction.complete', sequence: 1, url: endless.url, transactionId: 8 });
    await until(async () => (await attempts()).length === 2);
    expect(performance.now() - started).toBeGreaterThan(2_900);
    for (const { error, duration_ms: ms } of await attempts()) {
      expect(error).toBe('timeout');
      expect(ms).toBeGreaterThanOrEqual(2_900);
      expect(ms).toBeLessThan(4_500);
    }
  }, 15_000);

  it('answers at length is read no further than the bound', async () => {
    let written = 0;
    const partner = await receiver((_, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) written += 16_384;
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    });
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url });
    await until(async () => (await state(1)) === 'delivered');
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  it('does not answer takes no slot from others', async () => {
    const silent = await receiver(() => undefined);
    const partner = await receiver();
    const count = 300;
    for (let id = 1; id <= count; id += 1)
      await tell({ type: 'transaction.complete', sequence: 1, url: silent.url, transactionId: id });
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url, transactionId: count + 1 });
    await until(async () => (await state(1, count + 1)) === 'delivered');
    // On a slow machine some of its first calls are over by then, and others have their place.
    expect(silent.received.length).toBeLessThan(count / 2);
  });
});

describe('the outbound guard', () => {
  it('lets no webhook reach a private address where that is not allowed', async () => {
    await notifier.stop();
    await start({ env: 'sandbox', webhookAllowPrivate: false, webhookPayloadDays: 30 });
    const partner = await receiver();
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url });
    await until(async () => (await delivery(1))?.attempts === 1);
    expect(await attempts()).toMatchObject([{ status: null, error: 'blocked_address' }]);
    expect(partner.received).toHaveLength(0);
  });
});

describe('a partner’s secret', () => {
  it('is made once, however many ask at once, and is the same after a restart', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => secretOf(5)));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^whsec_/);
    expect(Buffer.from(answers[0]!.slice('whsec_'.length), 'base64')).toHaveLength(32);
    await notifier.stop();
    await start();
    expect(await secretOf(5)).toBe(answers[0]);
    expect(await secretOf(6)).not.toBe(answers[0]);
  });

  it('is sealed at rest, for its own row only', async () => {
    const secret = await secretOf(5);
    const [row] = await db.query<{ sealed_secret: string }>(
      'select sealed_secret from webhook_secrets where partner_id = 5',
    );
    expect(row!.sealed_secret).not.toContain(secret.slice('whsec_'.length));
    await db.query(
      'insert into webhook_secrets select 6, sealed_secret, created_at from webhook_secrets where partner_id = 5',
    );
    await expect(secretOf(6)).rejects.toThrow();
  });
});
