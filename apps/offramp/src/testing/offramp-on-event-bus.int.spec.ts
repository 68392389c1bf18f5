import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import { acceptedTokens, chainNamed } from '@vuka/domain';
import {
  DEAD_LETTERS_SQL,
  DeadLetterStore,
  EmbeddedEventBus,
  OUTBOX_SQL,
  SeededDisturbance,
  appendToOutbox,
  newEnvelope,
} from '@vuka/messaging';
import { baseline, type Database } from '@vuka/persistence';
import { createLogger, systemClock, WakeSignal } from '@vuka/runtime';
import type { OpenedService } from '@vuka/service-host';
import { until } from '@vuka/testing';

import type { OfframpRoot } from '../offramp.root.js';
import { PartnerStatusStore } from '../refunds/partner-status.store.js';
import {
  awaitingDeposit,
  found,
  HandJobs,
  hashOf,
  openOfframp,
  ScriptedReader,
  settingsOf,
  startTestDatabase,
  type TestDatabase,
} from './offramp.spec-support.js';

let database: TestDatabase;
let db: Database;
let payments: Database;
let checkout: Database;
let gateway: Database;
let partnersSignal: WakeSignal;
let claimsSignal: WakeSignal;
let reader: ScriptedReader;
let heard: Envelope[];
let running: { offramp: OpenedService<OfframpRoot>; eventBus: EmbeddedEventBus } | undefined;

const PRODUCER = [baseline('producer', [OUTBOX_SQL, DEAD_LETTERS_SQL])];
const quiet = createLogger('test', { level: 'silent' });
const USDC =
  acceptedTokens(chainNamed('CELO') ?? { tokens: [] }).find(({ symbol }) => symbol === 'USDC')?.address ?? '';
const WITHIN = { withinMs: 30_000, what: 'it comes to that' };

beforeAll(async () => {
  database = await startTestDatabase();
  payments = await database.connect({ ...database.of('payments'), migrations: PRODUCER });
  checkout = await database.connect({ ...database.of('checkout'), migrations: PRODUCER });
  gateway = await database.connect({ ...database.of('gateway'), migrations: PRODUCER });
  await Promise.all([payments.migrate(), checkout.migrate(), gateway.migrate()]);
  db = await database.connect();
}, 60_000);

afterAll(() => database.stop());

beforeEach(() => {
  [claimsSignal, partnersSignal, reader, heard] = [new WakeSignal(), new WakeSignal(), new ScriptedReader(), []];
});

afterEach(async () => {
  await stop();
  await payments.query('truncate outbox, outbox_cursors');
  await db.query('truncate claims, deposits, inbox, outbox, outbox_cursors, deposit_addresses, dead_letters');
});

async function start(seed?: number): Promise<void> {
  const eventBus = new EmbeddedEventBus({
    log: quiet,
    clock: systemClock,
    retry: { tries: 2, firstDelayMs: 1, maxDelayMs: 1 },
    replayPollMs: 10,
    ...(seed !== undefined && { disturbance: new SeededDisturbance(seed) }),
  });
  const offramp = await openOfframp({
    settings: settingsOf({ CELO: ['http://127.0.0.1:1'] }),
    database: database.config,
    eventBus: eventBus,
    jobs: new HandJobs(),
    openReader: async () => reader,
  });
  running = { offramp, eventBus };
  eventBus.subscribe({
    group: 'payments',
    topics: ['offramp.deposit.events.v1'],
    deadLetters: new DeadLetterStore(payments),
    handle: async (event) => void heard.push(event),
  });
  eventBus.attachProducer({ service: 'payments', db: payments, signal: claimsSignal });
  eventBus.attachProducer({ service: 'checkout', db: checkout, signal: new WakeSignal() });
  eventBus.attachProducer({ service: 'gateway', db: gateway, signal: partnersSignal });
  await offramp.handlers.listNetworks({ partner_id: 1 }, {} as never);
  await eventBus.start();
  await offramp.start();
}

async function stop(): Promise<void> {
  await running?.eventBus.stop();
  await running?.offramp.stop();
  running = undefined;
}

async function accept(...ids: number[]): Promise<void> {
  const at = systemClock.now();
  await payments.inTransaction((tx) =>
    appendToOutbox(
      tx,
      ids.map((transactionId) => awaitingDeposit({ transactionId, acceptedAt: at })),
    ),
  );
  claimsSignal.notify();
}

const arrives = (id: number, value = 10n ** 7n): void =>
  reader.says(hashOf(id), found({ at: systemClock.now(), transfers: [{ token: USDC, value }] }));
const verdicts = (): string[] =>
  [...new Set(heard.map(({ type, key, sequence }) => `${type} ${key}_${sequence}`))].sort();

describe('under the test event bus', () => {
  it.each([1, 2])(
    'with seed %i each claim is judged once, and its verdict is heard',
    async (seed) => {
      await start(seed);
      const ids = Array.from({ length: 60 }, (_, n) => n + 1);
      for (const id of ids) arrives(id, id % 3 === 0 ? 1n : 10n ** 7n);
      await accept(...ids);
      await until(() => verdicts().length === ids.length, WITHIN);
      expect(verdicts()).toEqual(ids.map((id) => `deposit.${id % 3 === 0 ? 'unapplied' : 'verified'} ${id}_1`).sort());
      expect(reader.reads).toHaveLength(ids.length);
      expect(await db.query('select 1 from inbox')).toHaveLength(ids.length);
      expect(await db.query('select 1 from deposits')).toHaveLength(ids.length);
      expect(await db.query('select 1 from dead_letters')).toEqual([]);
    },
    60_000,
  );
});

describe('an offramp that was away', () => {
  it('processes every claim that came in the meantime, and continues with the older ones', async () => {
    await start();
    await accept(1);
    await until(() => reader.reads.length === 1, WITHIN);
    await stop();
    expect(reader.isClosed).toBe(true);
    await accept(2, 3);
    for (const id of [1, 2, 3]) arrives(id);
    await start();
    await until(() => verdicts().length === 3, WITHIN);
    expect(verdicts()).toEqual(['deposit.verified 1_1', 'deposit.verified 2_1', 'deposit.verified 3_1']);
  }, 60_000);

  it('is ready once it works, and says so', async () => {
    await start();
    expect(await running?.offramp.ready()).toBe(true);
  });
});

describe('a partner', () => {
  it('that gateway suspends is treated as suspended until it is resumed', async () => {
    await start(3);
    const statuses = new PartnerStatusStore(db);
    for (const [sequence, status] of [
      [1, 'suspended'],
      [2, 'active'],
      [3, 'suspended'],
    ] as const) {
      const type = status === 'active' ? 'partner.resumed' : 'partner.suspended';
      await gateway.inTransaction((tx) =>
        appendToOutbox(tx, [
          newEnvelope({
            type,
            key: '77',
            sequence,
            occurredAt: systemClock.now(),
            correlationId: 'c',
            causationId: '',
            producer: 'gateway',
            data: { partner_id: 77, status },
          }),
        ]),
      );
      partnersSignal.notify();
      await until(async () => (await statuses.isSuspended(77)) === (status === 'suspended'), WITHIN);
    }
  });
});
