import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { NotifierFixture } from './notifier-fixture.spec-support.js';
import { Receiver, status, until } from './notifier.spec-support.js';

const fixture = new NotifierFixture();
const { receiver, tell, delivery, state, attempts, later } = fixture;

beforeAll(() => fixture.open(), 60_000);
afterAll(() => fixture.close());
beforeEach(() => fixture.begin());
afterEach(() => fixture.end());

describe('a receiver that', () => {
  it('is dead is tried by the schedule, with the same id and bytes and a new timestamp, until the delivery is given up', async () => {
    const partner = await receiver(status(503));
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url });
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await until(async () => (await delivery(1))?.attempts === attempt);
      // The queue is updated after that commit.
      if (attempt < 10)
        await until(
          async () => fixture.jobs.asked.at(-1)?.getTime() === (await delivery(1))?.next_attempt_at?.getTime(),
        );
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

  it('redirects counts as a failure: the redirect is not followed', async () => {
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

  it('asks for a pause with Retry-After gets it', async () => {
    const partner = await receiver(status(429, { 'retry-after': '120' }));
    await tell({ type: 'transaction.complete', sequence: 1, url: partner.url });
    await until(async () => (await delivery(1))?.attempts === 1);
    expect((await delivery(1))?.next_attempt_at).toEqual(new Date(fixture.clock.now().getTime() + 120_000));
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

  it('sends a long answer is read only up to the limit', async () => {
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
    // On a slow machine early calls end and free places.
    expect(silent.received.length).toBeLessThan(count / 2);
  });
});
