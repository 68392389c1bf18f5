import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import { appendToOutbox, DeadLetterStore, EmbeddedEventBus, newEnvelope, OUTBOX_SQL } from '@vuka/messaging';
import { baseline, type Database } from '@vuka/persistence';
import { borrowDatabase, type TestDatabase } from '@vuka/persistence/test-postgres';
import { ManualClock, systemClock, WakeSignal } from '@vuka/runtime';
import { testContext } from '@vuka/service-host/test-context';
import { until } from '@vuka/testing';

import { openGateway, startGatewayTables, type GatewayTables } from '../testing/gateway-database.spec-support.js';
import { PaymentsStub, silentLog, stubServices } from '../testing/gateway.spec-support.js';
import { DisableEndpoint } from './disable-endpoint.js';
import { findKnownPartner, setDefaultWebhook, type KnownPartner } from './known-partners.store.js';

const URL = 'https://hooks.example.com/in?key=1';
const T0 = Date.parse('2026-11-22T10:00:00Z');
const at = (seconds: number): Date => new Date(T0 + seconds * 1_000);

let tables: GatewayTables;
let db: Database;
let clock: ManualClock;
let disable: DisableEndpoint;
let partnerId: number;
let names = 0;

beforeAll(async () => {
  tables = await startGatewayTables();
  ({ db } = tables);
}, 60_000);

afterAll(() => tables.stop(), 30_000);

beforeEach(async () => {
  clock = new ManualClock(at(1_000));
  disable = new DisableEndpoint(db, testContext().webhookCipher, clock, silentLog);
  const rows = await db.query<{ id: string }>(
    'insert into partners (name, email, created_at) values ($1, $2, $3) returning id',
    [`P${String(++names)}`, 'p@example.com', at(0)],
  );
  partnerId = Number(rows[0]?.id);
});

/** `attemptedAt` in seconds; the receiver answered 410. */
function gone(attemptedAt: number, url = URL): Envelope<'endpoint.disabled'> {
  return newEnvelope({
    type: 'endpoint.disabled',
    key: String(partnerId),
    sequence: attemptedAt,
    occurredAt: at(attemptedAt + 1),
    correlationId: 'test',
    causationId: 'test',
    producer: 'notifier',
    data: { partner_id: partnerId, url, attempted_at: at(attemptedAt).toISOString() },
  });
}
const set = (url: string | null, seconds: number): Promise<void> => setDefaultWebhook(db, partnerId, url, at(seconds));
const partner = async (): Promise<KnownPartner> => {
  const found = await findKnownPartner(db, partnerId);
  if (found === null) throw new Error('no partner');
  return found;
};
const standing = async (): Promise<[string | null, string | null]> => {
  const { webhookUrl, webhookDisabledUrl } = await partner();
  return [webhookUrl, webhookDisabledUrl];
};

describe('a receiver that wants nothing more', () => {
  it('loses its place as default webhook, and the admin API still shows it with the time', async () => {
    await set(URL, 10);
    await disable.run(gone(20));
    expect(await partner()).toMatchObject({
      webhookUrl: null,
      webhookSetAt: clock.now(),
      webhookDisabledUrl: URL,
      webhookDisabledAt: clock.now(),
    });
  });

  it.each([
    ['another URL', `${URL}&more=1`],
    ['the same as a browser would read it', 'https://HOOKS.example.com/in?key=1'],
    ['none', null],
  ])('changes nothing if the default is %s', async (_, url) => {
    await set(url, 10);
    await disable.run(gone(20));
    expect(await standing()).toEqual([url, null]);
  });

  it('does not remove a URL that was set after the POST, even if it is the same one', async () => {
    await set(URL, 10);
    await set(URL, 30);
    await disable.run(gone(20));
    expect(await standing()).toEqual([URL, null]);
    await disable.run(gone(40));
    expect(await standing()).toEqual([null, URL]);
  });

  it('counts once: a repeated event does not remove a URL that was set again', async () => {
    await set(URL, 10);
    const event = gone(20);
    await disable.run(event);
    // With a slow clock, a later setting still counts as later.
    await set(URL, 15);
    await disable.run(event);
    await disable.run({ ...event, id: randomUUID() });
    expect(await standing()).toEqual([URL, URL]);
  });

  it('counts in any order: an older POST does not affect a URL that was set later', async () => {
    const other = 'https://other.example.com/';
    await set(URL, 10);
    await set(other, 30);
    await disable.run(gone(40, other));
    await disable.run(gone(20));
    expect(await standing()).toEqual([null, other]);
  });

  it('removes the URL of one partner only, and ignores an unknown partner', async () => {
    await set(URL, 10);
    await disable.run({ ...gone(20), data: { ...gone(20).data, partner_id: partnerId + 1_000 } });
    expect(await standing()).toEqual([URL, null]);
  });

  it('does not remove the URL that the partner sets at the same moment, whichever comes first', async () => {
    for (let round = 0; round < 10; round += 1) {
      await set(URL, 10 + round);
      clock = new ManualClock(at(2_000 + round));
      disable = new DisableEndpoint(db, testContext().webhookCipher, clock, silentLog);
      await Promise.all([disable.run(gone(500 + round)), setDefaultWebhook(db, partnerId, URL, at(1_500 + round))]);
      expect((await partner()).webhookUrl).toBe(URL);
      await set(null, 3_000 + round);
      await db.query('update partners set webhook_set_at = null where id = $1', [partnerId]);
    }
  }, 20_000);
});

describe('behind the event bus', () => {
  let notifier: TestDatabase;
  let outbox: Database;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    notifier = await borrowDatabase([{ name: 'notifier', migrations: [baseline('notifier', [OUTBOX_SQL])] }]);
    outbox = await notifier.connect();
  }, 60_000);

  afterEach(() => stop());

  afterAll(() => notifier.stop());

  it('an event that fails is tried again, then becomes a dead letter, and is handled after a replay', async () => {
    const signal = new WakeSignal();
    const eventBus = new EmbeddedEventBus({
      log: silentLog,
      clock: systemClock,
      retry: { tries: 2, firstDelayMs: 1, maxDelayMs: 1 },
      replayPollMs: 10,
    });
    const events = await openGateway(tables, { eventBus: eventBus, clock, clients: stubServices(new PaymentsStub()) });
    eventBus.attachProducer({ service: 'notifier', db: outbox, signal });
    stop = async () => {
      await eventBus.stop();
      await events.stop();
    };
    await eventBus.start();
    await set(URL, 10);
    await tables.admin.query('alter table partners rename to partners_away');
    const event = gone(20);
    await outbox.inTransaction((tx) => appendToOutbox(tx, [event]));
    signal.notify();
    const deadLetters = new DeadLetterStore(db);
    await until(async () => (await deadLetters.list({ limit: 2 })).length === 1, {
      withinMs: 10_000,
      what: 'the letter',
    });
    await tables.admin.query('alter table partners_away rename to partners');
    expect(await deadLetters.requestReplay('gateway', event.id, 'amina', systemClock.now())).toEqual({
      kind: 'requested',
    });
    await until(async () => (await standing())[0] === null, { withinMs: 10_000, what: 'the default is disabled' });
  }, 40_000);
});
