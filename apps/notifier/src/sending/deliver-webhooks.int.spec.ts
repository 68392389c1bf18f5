import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createOutboundAgent } from '@vuka/http';
import type { Agent } from 'undici';

import type { RecordPublicChange } from '../changes/record-public-change.js';
import { Receiver, status, transactionEvent, until } from '../testing/notifier.spec-support.js';
import type { DeliverWebhooks } from './deliver-webhooks.js';
import { DELIVERY_LIMITS, type DeliveryLimits } from '../deliveries/delivery-places.js';
import { DeliveryFixture } from '../testing/delivery-fixture.spec-support.js';
import { DeliveryStore, type AttemptRecord } from '../deliveries/delivery.store.js';
import { createPostWebhook } from './post-webhook.js';

/** Several processes, one database. */
let fixture: DeliveryFixture;
let partner: Receiver;
let agent: Agent;
let changes: RecordPublicChange;

beforeAll(async () => {
  fixture = await DeliveryFixture.start();
}, 60_000);

afterAll(() => fixture.stop());

beforeEach(async () => {
  await fixture.clear();
  partner = await Receiver.start();
  agent = createOutboundAgent({ allowPrivate: true, timeoutMs: 3_000 });
  changes = fixture.changes();
});

afterEach(async () => {
  await partner.stop();
  await agent.destroy();
});

function deliverer(
  deliveries: DeliveryStore = new DeliveryStore(fixture.db),
  limits: DeliveryLimits = DELIVERY_LIMITS,
): DeliverWebhooks {
  return fixture.deliverer({ deliveries, post: createPostWebhook(agent), limits });
}

const tell = (transactionId: number, url = partner.url): Promise<void> => fixture.tell({ transactionId, url });

const rows = (): Promise<{ transaction_id: string; state: string; attempts: number; fence: number }[]> =>
  fixture.db.query('select transaction_id, state, attempts, fence from deliveries order by id');
const webhookIds = (): unknown[] => partner.received.map(({ headers }) => headers['webhook-id']);

describe('a process that dies between the POST and its recording', () => {
  it('leaves a webhook that is sent again after its lease, with the same id and the same bytes', async () => {
    const dead = deliverer();
    await tell(1);
    await dead.tick();
    await until(() => partner.received.length === 1);

    const next = deliverer();
    fixture.clock.advance(DELIVERY_LIMITS.leaseMs - 1);
    await next.tick();
    await next.drain();
    expect(partner.received).toHaveLength(1);

    fixture.clock.advance(1);
    await next.tick();
    await next.drain();
    expect(webhookIds()).toEqual(['1_1', '1_1']);
    expect(partner.received[1]!.body).toBe(partner.received[0]!.body);
    expect(await rows()).toEqual([{ transaction_id: '1', state: 'delivered', attempts: 1, fence: 2 }]);
  });

  it('or only sleeps: its late result is dropped', async () => {
    partner.answer = status(500);
    const slow = deliverer();
    await tell(1);
    await slow.tick();
    await until(() => partner.received.length === 1);
    fixture.clock.advance(DELIVERY_LIMITS.leaseMs);
    partner.answer = status(200);
    const other = deliverer();
    await other.tick();
    await other.drain();
    await slow.drain();
    expect(await rows()).toEqual([{ transaction_id: '1', state: 'delivered', attempts: 1, fence: 2 }]);
    expect(await fixture.db.query('select 1 from delivery_attempts')).toHaveLength(1);
  });
});

describe('several processes', () => {
  it('share what is due: each webhook goes out once', async () => {
    const count = 200;
    await fixture.tell(...Array.from({ length: count }, (_, id) => ({ transactionId: id + 1, url: partner.url })));
    const processes = [deliverer(), deliverer(), deliverer()];
    await until(async () => {
      await Promise.all(processes.map((process) => process.tick()));
      return (await rows()).every(({ state }) => state === 'delivered');
    });
    expect(partner.received).toHaveLength(count);
    expect(new Set(webhookIds()).size).toBe(count);
  });
});

describe('a database that is away when outcomes are to be recorded', () => {
  it('stops the posting at the limit, loses no outcome and goes on', async () => {
    class FlakyStore extends DeliveryStore {
      public isAway = true;

      public override async recordAttempts(records: readonly AttemptRecord[], now: Date): Promise<boolean> {
        if (this.isAway) throw new Error('the database is away');
        return super.recordAttempts(records, now);
      }
    }
    const store = new FlakyStore(fixture.db);
    // A partner gets half, to leave places.
    const one = deliverer(store, { ...DELIVERY_LIMITS, inFlight: 10 });
    await Promise.all(Array.from({ length: 12 }, (_, id) => tell(id + 1)));
    await one.tick();
    await until(() => partner.received.length === 5);
    await expect(one.drain()).rejects.toThrow('away');
    await expect(one.tick()).rejects.toThrow('away');
    expect(partner.received).toHaveLength(5);
    store.isAway = false;
    await until(async () => {
      await one.tick();
      return (await rows()).every(({ state }) => state === 'delivered');
    });
    expect(new Set(webhookIds()).size).toBe(12);
    expect(partner.received).toHaveLength(12);
  });
});

describe('hosts', () => {
  it('have a limited number of slots each, which are filled again', async () => {
    const limits = { ...DELIVERY_LIMITS, inFlight: 10, perHost: 3 };
    const held: (() => void)[] = [];
    partner.answer = (_, response) => void held.push(() => response.end());
    const other = await Receiver.start();
    try {
      for (let id = 1; id <= 6; id += 1) await tell(id);
      for (let id = 7; id <= 8; id += 1) await tell(id, other.url);
      const one = deliverer(undefined, limits);
      // The first round may see only one host's oldest; the next excludes that host.
      await one.tick();
      await one.tick();
      await until(() => partner.received.length === 3 && other.received.length === 2);
      expect(await one.tick()).toBe(false);
      held.shift()!();
      await until(async () => (await one.tick()) || partner.received.length === 4);
      await until(() => partner.received.length === 4);
      for (const answer of held) answer();
      partner.answer = status(200);
      await until(async () => {
        await one.tick();
        return (await rows()).every(({ state }) => state === 'delivered');
      });
      expect(partner.received).toHaveLength(6);
    } finally {
      await other.stop();
    }
  });
});

describe('events taken in together', () => {
  const events = (): ReturnType<typeof transactionEvent>[] => {
    const at = { transactionId: 1, url: partner.url, occurredAt: fixture.clock.now() };
    return [
      transactionEvent({ ...at, type: 'transaction.reversed', sequence: 3 }),
      transactionEvent({ ...at, type: 'transaction.processing', sequence: 1 }),
      transactionEvent({ ...at, type: 'transaction.complete', sequence: 2 }),
    ];
  };
  const states = (): Promise<unknown[]> =>
    fixture.db.query('select sequence, state from deliveries where transaction_id = 1 order by sequence');
  const expected = [
    { sequence: 1, state: 'superseded' },
    { sequence: 2, state: 'pending' },
    { sequence: 3, state: 'pending' },
  ];

  it('end as they would one by one, in whatever order and however often', async () => {
    const told = events();
    // The first goes alone; later ones go together.
    const first = transactionEvent({
      type: 'transaction.complete',
      transactionId: 9,
      sequence: 1,
      url: partner.url,
      occurredAt: fixture.clock.now(),
    });
    await Promise.all([first, ...told, ...told].map((event) => changes.run(event)));
    expect(await states()).toEqual(expected);
  });

  it('end so where two processes take them in', async () => {
    const second = fixture.changes();
    const told = events();
    await Promise.all(told.flatMap((event) => [changes.run(event), second.run(event)]));
    expect(await fixture.db.query('select 1 from inbox')).toHaveLength(3);
    expect((await states()).slice(1)).toEqual(expected.slice(1));
  });

  it('do not fail for a neighbour that cannot be stored', async () => {
    const good = transactionEvent({
      type: 'transaction.complete',
      transactionId: 1,
      sequence: 1,
      url: partner.url,
      occurredAt: fixture.clock.now(),
    });
    const tooBig = {
      ...good,
      id: good.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      data: { ...good.data, public_sequence: 2 ** 40 },
    };
    const outcomes = await Promise.allSettled([changes.run(tooBig), changes.run(good)]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'fulfilled']);
    expect(await states()).toEqual([{ sequence: 1, state: 'pending' }]);
  });
});
