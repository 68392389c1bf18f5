import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@vuka/persistence';
import { createLogger, type ManualClock, WakeSignal } from '@vuka/runtime';

import { RecordPublicChange } from '../changes/record-public-change.js';
import { DeliverWebhooks } from '../deliveries/deliver-webhooks.js';
import { DeliveryStore } from '../deliveries/delivery.store.js';
import { LaneStore } from '../deliveries/lane.store.js';
import type { AttemptOutcome } from '../deliveries/retry-schedule.js';
import { EnsureWebhookSecret } from '../secrets/ensure-webhook-secret.js';
import { WebhookSecretStore } from '../secrets/webhook-secret.store.js';
import {
  HandJobs,
  startTestDatabase,
  testCipher,
  testClock,
  transactionEvent,
  type TestDatabase,
} from '../testing/notifier.spec-support.js';
import { DeliveryDesk } from './delivery-desk.js';

const LONGEST_RETRY_MS = 2 * 86_400_000;
const TRIES = 10;

let database: TestDatabase;
let db: Database;
let clock: ManualClock;
let desk: DeliveryDesk;
/** By host, what its receiver answers. */
let answers: Map<string, AttemptOutcome>;

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.connect();
  desk = new DeliveryDesk(db);
}, 60_000);
afterAll(() => database.stop());
beforeEach(async () => {
  await db.query('truncate deliveries, delivery_attempts, inbox');
  clock = testClock();
  answers = new Map();
});

async function tell(
  transactionId: number,
  sequence: number,
  type: 'transaction.processing' | 'transaction.complete',
  host: string,
): Promise<void> {
  const url = `https://operator:sesame@${host}/hooks/secret-path?token=sesame`;
  const changes = new RecordPublicChange(new DeliveryStore(db), new WakeSignal(), clock);
  await changes.run(transactionEvent({ type, transactionId, sequence, url, occurredAt: clock.now() }));
}

/** So many rounds of deliveries, with the longest delay between them. */
async function deliver(rounds: number): Promise<void> {
  const deliverer = new DeliverWebhooks({
    deliveries: new DeliveryStore(db),
    lanes: new LaneStore(db),
    secrets: new EnsureWebhookSecret(new WebhookSecretStore(db), testCipher, clock),
    post: async ({ url }) => answers.get(new URL(url).host) ?? { kind: 'answered', status: 204, retryAfter: null },
    signal: new WakeSignal(),
    jobs: new HandJobs(),
    clock,
    log: createLogger('notifier', { level: 'silent' }),
    random: () => 0,
  });
  for (let round = 0; round < rounds; round += 1) {
    await deliverer.tick();
    await deliverer.drain();
    clock.advance(LONGEST_RETRY_MS);
  }
}

describe('the webhooks of one transaction', () => {
  it('are shown with every POST, and of their URL the host alone', async () => {
    answers.set('b.example:8443', { kind: 'answered', status: 503, retryAfter: null });
    await tell(41, 1, 'transaction.processing', 'a.example');
    await deliver(1);
    await tell(41, 2, 'transaction.complete', 'b.example:8443');
    await tell(42, 1, 'transaction.complete', 'a.example');
    const told = clock.now();
    await deliver(1);
    answers.set('b.example:8443', { kind: 'failed', error: 'timeout' });
    await deliver(1);

    const shown = await desk.deliveriesOf(41);
    expect(shown).toEqual([
      expect.objectContaining({
        webhookId: '41_1',
        sequence: 1,
        event: 'transaction.processing',
        state: 'delivered',
        host: 'a.example',
        attempts: 1,
        nextAttemptAt: null,
      }),
      expect.objectContaining({
        webhookId: '41_2',
        transactionId: 41,
        partnerId: 1,
        state: 'pending',
        host: 'b.example:8443',
        attempts: 2,
        createdAt: told,
        settledAt: null,
      }),
    ]);
    expect(shown[0]!.posts).toEqual([expect.objectContaining({ attempt: 1, status: 204, error: null })]);
    expect(shown[1]!.posts).toEqual([
      { attempt: 1, startedAt: told, durationMs: expect.any(Number), status: 503, error: null },
      {
        attempt: 2,
        startedAt: new Date(told.getTime() + LONGEST_RETRY_MS),
        durationMs: expect.any(Number),
        status: null,
        error: 'timeout',
      },
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/sesame|secret-path/);
    expect(await desk.deliveriesOf(43)).toEqual([]);
  });
});

describe('webhooks that were given up', () => {
  it('come in pages, the longest resting first; what was delivered or is pending is none of them', async () => {
    answers.set('dead.example', { kind: 'answered', status: 500, retryAfter: null });
    for (let id = 1; id <= 5; id += 1) await tell(id, 1, 'transaction.complete', 'dead.example');
    await tell(6, 1, 'transaction.complete', 'a.example');
    await deliver(TRIES);
    await tell(7, 1, 'transaction.complete', 'dead.example');
    await deliver(1);

    const first = await desk.givenUp({ limit: 3 });
    const second = await desk.givenUp({ limit: 3, after: first.at(-1)! });
    expect([...first, ...second].map(({ webhookId }) => webhookId)).toEqual(['1_1', '2_1', '3_1', '4_1', '5_1']);
    expect(first[0]).toMatchObject({
      state: 'exhausted',
      attempts: TRIES,
      host: 'dead.example',
      settledAt: expect.any(Date),
    });
  });
});
