import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createOutboundAgent } from '@vuka/http';
import { parseEnvelope } from '@vuka/messaging';
import { Metrics, WakeSignal } from '@vuka/runtime';

import { Receiver, status, until } from '../testing/notifier.spec-support.js';
import type { DeliverWebhooks } from './deliver-webhooks.js';
import { AWAY, DeliveryFixture, deliverAll } from '../testing/delivery-fixture.spec-support.js';
import { CIRCUIT_RULES } from '../deliveries/delivery-queue-circuit.js';
import { DeliveryQueueStore } from '../deliveries/delivery-queue.store.js';
import { NotifierMetrics } from '../deliveries/notifier-metrics.js';
import { createPostWebhook, type PostWebhook } from './post-webhook.js';
import type { AttemptOutcome } from '../deliveries/retry-schedule.js';

let fixture: DeliveryFixture;
let signal: WakeSignal;
let metrics: Metrics;
const deliverers: DeliverWebhooks[] = [];

beforeAll(async () => {
  fixture = await DeliveryFixture.start();
}, 60_000);

afterAll(() => fixture.stop());

beforeEach(async () => {
  await fixture.clear();
  signal = new WakeSignal();
  metrics = new Metrics('notifier');
});

afterEach(async () => {
  await Promise.all(deliverers.splice(0).map((one) => one.drain()));
});

function deliverer(post: PostWebhook = fixture.post): DeliverWebhooks {
  const made = fixture.deliverer({
    post,
    outboxSignal: signal,
    metrics: new NotifierMetrics(metrics, new DeliveryQueueStore(fixture.db), fixture.clock),
  });
  deliverers.push(made);
  return made;
}

let lastId = 0;
const tell = (host: string, count = 1, partnerId = 1): Promise<void> =>
  fixture.tell(...Array.from({ length: count }, () => ({ transactionId: (lastId += 1), host, partnerId })));

const attemptsOf = async (host: string): Promise<number> =>
  (
    await fixture.db.query<{ sum: number }>('select sum(attempts)::integer as sum from deliveries where host = $1', [
      host,
    ])
  )[0]!.sum;
const heldUntil = async (host: string, partnerId = 1): Promise<Date | null | undefined> =>
  (
    await fixture.db.query<{ held_until: Date | null }>(
      'select held_until from delivery_queues where host = $1 and partner_id = $2',
      [host, partnerId],
    )
  )[0]?.held_until;
const { openAfter, firstPauseMs } = CIRCUIT_RULES;

describe('a host that cannot be reached', () => {
  it('is held back after so many failures; what waits keeps its attempts, and others go on', async () => {
    fixture.answers.set('dead.example', AWAY);
    await tell('dead.example', 200);
    const one = deliverer();
    await deliverAll(one);
    const made = await attemptsOf('dead.example');
    expect(made).toBeGreaterThanOrEqual(openAfter);
    expect(made).toBeLessThan(openAfter + 32);
    expect(await heldUntil('dead.example')).toEqual(new Date(fixture.clock.now().getTime() + firstPauseMs));

    await tell('dead.example', 5);
    await tell('well.example', 5);
    await deliverAll(one);
    expect(await attemptsOf('dead.example')).toBe(made);
    expect(await attemptsOf('well.example')).toBe(5);
  });

  it('is probed by one delivery at a time, over all processes, after longer and longer pauses', async () => {
    fixture.answers.set('dead.example', AWAY);
    await tell('dead.example', 120);
    const processes = [deliverer(), deliverer(), deliverer()];
    await deliverAll(...processes);
    let made = await attemptsOf('dead.example');
    for (const pause of [10_000, 20_000, 40_000]) {
      fixture.clock.advance((await heldUntil('dead.example'))!.getTime() - fixture.clock.now().getTime() - 1);
      await deliverAll(...processes);
      expect(await attemptsOf('dead.example')).toBe(made);
      fixture.clock.advance(1);
      await deliverAll(...processes);
      expect(await attemptsOf('dead.example')).toBe((made += 1));
      expect(await heldUntil('dead.example')).toEqual(new Date(fixture.clock.now().getTime() + pause));
    }
  });

  it('gets everything that waits once it answers the probe', async () => {
    fixture.answers.set('back.example', AWAY);
    await tell('back.example', 60, 1);
    await tell('back.example', 60, 2);
    const processes = [deliverer(), deliverer()];
    await deliverAll(...processes);
    fixture.answers.delete('back.example');
    fixture.clock.advance(firstPauseMs);
    await deliverAll(...processes);
    expect(await heldUntil('back.example')).toBeNull();
    expect(await fixture.db.query('select distinct state from deliveries')).toEqual([{ state: 'delivered' }]);
    expect(await fixture.db.query('select 1 from delivery_queues where held_until is not null')).toEqual([]);
  });

  it('is probed again after the lease, if the process of the probe died', async () => {
    fixture.answers.set('dead.example', AWAY);
    await tell('dead.example', 60);
    await deliverAll(deliverer());
    const made = fixture.posted.length;
    fixture.clock.advance(firstPauseMs);
    const dying = deliverer(() => new Promise(() => undefined));
    deliverers.splice(deliverers.indexOf(dying), 1);
    await dying.tick();
    const other = deliverer();
    await deliverAll(other);
    expect(fixture.posted).toHaveLength(made);
    fixture.answers.clear();
    fixture.clock.advance(10_000);
    await deliverAll(other);
    expect(await fixture.db.query(`select 1 from deliveries where state <> 'delivered'`)).toEqual([]);
  });

  it('with few deliveries follows only their schedule', async () => {
    fixture.answers.set('dead.example', AWAY);
    await tell('dead.example', 8);
    const one = deliverer();
    for (const delay of [5_000, 30_000, 120_000, 600_000]) {
      const before = await attemptsOf('dead.example');
      await deliverAll(one);
      expect(await attemptsOf('dead.example')).toBe(before + 8);
      expect(await fixture.db.query('select distinct next_attempt_at from deliveries')).toEqual([
        { next_attempt_at: new Date(fixture.clock.now().getTime() + delay) },
      ]);
      fixture.clock.advance(delay);
    }
  });

  it('does not hold back another partner: only the path of one partner may fail', async () => {
    const slowPath: PostWebhook = (request) =>
      request.url.endsWith('/slow') ? Promise.resolve({ kind: 'failed', error: 'timeout' }) : fixture.post(request);
    await fixture.tell(
      ...Array.from({ length: 100 }, (_, place) => ({
        transactionId: 90_001 + place,
        url: 'https://shared.example/slow',
      })),
    );
    const one = deliverer(slowPath);
    await deliverAll(one);
    expect(await heldUntil('shared.example', 1)).toEqual(expect.any(Date));
    await tell('shared.example', 100, 2);
    await deliverAll(one);
    expect(await heldUntil('shared.example', 2)).toBeNull();
    expect(await fixture.db.query('select distinct state from deliveries where partner_id = 2')).toEqual([
      { state: 'delivered' },
    ]);
  });

  it('differs from one that answers with errors, which is never held back', async () => {
    fixture.answers.set('rude.example', { kind: 'answered', status: 500, retryAfter: null });
    await tell('rude.example', 100);
    await deliverAll(deliverer());
    expect(await attemptsOf('rude.example')).toBe(100);
    expect(await heldUntil('rude.example')).toBeNull();
  });

  it('is counted: attempts by outcome, hosts held back, how long the oldest waits', async () => {
    fixture.answers.set('dead.example', AWAY);
    await tell('dead.example', 40);
    await tell('well.example', 3);
    await deliverAll(deliverer());
    fixture.clock.advance(2_000);
    await tell('other.example');
    fixture.clock.advance(1_000);
    const text = await metrics.text();
    expect(text).toMatch(/vuka_notifier_attempts_total\{outcome="2xx",service="notifier"\} 3\n/);
    expect(text).toMatch(/vuka_notifier_attempts_total\{outcome="unreachable",service="notifier"\} (3[2-9]|40)\n/);
    expect(text).toMatch(/vuka_notifier_held_delivery_queues\{service="notifier"\} 1\n/);
    expect(text).toMatch(/vuka_notifier_oldest_waiting_seconds\{service="notifier"\} 1\n/);
  });
});

describe('a receiver that does not answer', () => {
  it('takes no places from others, even with thousands due: its host has few places, then those of slow hosts', async () => {
    const held: ((outcome: AttemptOutcome) => void)[] = [];
    const hanging: PostWebhook = (request) =>
      request.url.includes('silent') ? new Promise((resolve) => held.push(resolve)) : fixture.post(request);
    for (let host = 0; host < 5; host += 1) await tell(`silent-${host}.example`, 400);
    fixture.clock.advance(1);
    await tell('well.example', 300);
    const one = deliverer(hanging);
    await until(async () => {
      await one.tick();
      return (
        (
          await fixture.db.query(
            `select 1 from deliveries where host = 'well.example' and state <> 'delivered' limit 1`,
          )
        ).length === 0
      );
    });
    expect(held.length).toBeGreaterThan(0);
    expect(held.length).toBeLessThanOrEqual(5 * 8);
    for (const release of held) release({ kind: 'failed', error: 'timeout' });
  });
});

describe('a receiver that answers 410', () => {
  interface Told {
    readonly key: string;
    readonly sequence: number;
    readonly data: unknown;
  }
  async function told(): Promise<Told[]> {
    const rows = await fixture.db.query<{ envelope: string }>('select envelope from outbox order by xid, id');
    return rows.map(({ envelope }) => parseEnvelope(envelope, 'notifier.endpoint.events.v1') as Told);
  }

  it('is told of once for a batch and URL, counted for each partner, in the commit that ends the delivery', async () => {
    fixture.answers.set('gone.example', { kind: 'answered', status: 410, retryAfter: null });
    await tell('gone.example', 3, 1);
    await tell('gone.example', 1, 2);
    await deliverAll(deliverer());
    await signal.wait(60_000);
    const first = { url: 'https://gone.example/hooks?x=1', attempted_at: fixture.clock.now().toISOString() };
    const events = await told();
    expect(
      events.map(({ key, sequence, data }) => ({ key, sequence, data })).sort((a, b) => Number(a.key) - Number(b.key)),
    ).toEqual([
      { key: '1', sequence: 1, data: { partner_id: 1, ...first } },
      { key: '2', sequence: 1, data: { partner_id: 2, ...first } },
    ]);
    fixture.clock.advance(1_000);
    await tell('gone.example', 1, 1);
    await deliverAll(deliverer());
    expect((await told()).at(-1)).toMatchObject({
      key: '1',
      sequence: 2,
      data: { attempted_at: fixture.clock.now().toISOString() },
    });
    expect(await fixture.db.query('select distinct state from deliveries')).toEqual([{ state: 'ended' }]);
  });

  it('over HTTP too, and what it ended stays ended for those that come later', async () => {
    const receiver = await Receiver.start(status(410));
    const agent = createOutboundAgent({ allowPrivate: true, timeoutMs: 3_000 });
    const change = { transactionId: 1, url: `${receiver.url}/h?token=1` };
    await fixture.tell(change);
    await deliverAll(deliverer(createPostWebhook(agent)));
    await fixture.tell({ ...change, sequence: 2, type: 'transaction.reversed' });
    await deliverAll(deliverer(createPostWebhook(agent)));
    expect(receiver.received).toHaveLength(1);
    expect((await told()).map(({ data }) => data)).toEqual([
      { partner_id: 1, url: `${receiver.url}/h?token=1`, attempted_at: fixture.clock.now().toISOString() },
    ]);
    await agent.destroy();
    await receiver.stop();
  });
});
