import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TOPICS, type TopicName } from '@vuka/contracts';
import { parseEnvelope } from '@vuka/messaging';
import { type Database } from '@vuka/persistence';
import { createLogger } from '@vuka/platform';

import { HandJobs, HandWire, startTestDatabase, testCipher, testClock, type TestDatabase } from './notifier.spec-support.js';
import { CONSUMER_GROUP } from './record-public-change.js';
import { startNotifier, type NotifierService } from './start-notifier.js';

/** Events as each release wrote them, read by the notifier of today: one that is newer than payments, or finds its topic full of yesterday's. */
const SAMPLES = fileURLToPath(new URL('../../../libs/contracts/samples/', import.meta.url));

interface SampledEvent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly callback_url: string | null; readonly transaction_id?: number; readonly order_number?: number; readonly public_sequence: number; readonly payload: unknown };
}

const samples = (JSON.parse(readFileSync(`${SAMPLES}releases.json`, 'utf8')) as string[]).map((release) => ({
  release,
  events: readdirSync(`${SAMPLES}${release}`).flatMap((file) => {
    if (file === 'contracts.json') return [];
    const { topic, events } = JSON.parse(readFileSync(`${SAMPLES}${release}/${file}`, 'utf8')) as { topic: TopicName; events: SampledEvent[] };
    const isRead = (TOPICS[topic].consumers as readonly string[]).includes(CONSUMER_GROUP);
    return isRead ? events.map((event) => ({ topic, event })) : [];
  }),
}));

let database: TestDatabase;
let db: Database;
let notifier: NotifierService;
let wire: HandWire;

beforeAll(async () => {
  database = await startTestDatabase();
  wire = new HandWire();
  notifier = await startNotifier({
    settings: { env: 'sandbox', webhookAllowPrivate: true, webhookPayloadDays: 30 },
    database: database.config, wire, jobs: new HandJobs(), clock: testClock(), log: createLogger('test', { level: 'silent' }), cipher: testCipher,
  });
  db = await database.connect();
}, 60_000);

afterAll(async () => {
  await notifier.stop();
  await database.stop();
});

beforeEach(async () => {
  await db.query('truncate deliveries, delivery_attempts, inbox, dead_letters');
});

describe('the notifier of today', () => {
  it.each(samples)('takes in every event of $release, and will tell what it says', async ({ events }) => {
    expect(events.length).toBeGreaterThan(0);
    for (const { topic, event } of events) await wire.deliver(parseEnvelope(JSON.stringify(event), topic));
    const [inbox] = await db.query<{ n: string }>('select count(*) as n from inbox');
    expect(Number(inbox?.n)).toBe(events.length);
    const told = await db.query<{ transaction_id: string; sequence: number; event_type: string; body: string }>(
      'select transaction_id, sequence, event_type, body from deliveries order by transaction_id, sequence',
    );
    const expected = events.flatMap(({ event }) => (event.data.callback_url === null ? [] : [event])).sort(byPlace);
    expect(told.map((row) => [Number(row.transaction_id), row.sequence, row.event_type, JSON.parse(row.body) as unknown])).toEqual(
      expected.map(({ type, data }) => [numberOf(data), data.public_sequence, type, data.payload]),
    );
  });
});

function never(): never {
  throw new Error('this event is of neither');
}

/** Of the transaction, or of the order. */
function numberOf({ transaction_id, order_number }: SampledEvent['data']): number {
  return transaction_id ?? order_number ?? never();
}

function byPlace({ data: one }: SampledEvent, { data: other }: SampledEvent): number {
  return numberOf(one) - numberOf(other) || one.public_sequence - other.public_sequence;
}
