import { Database } from '@vuka/persistence';
import { WakeSignal, createLogger, type Cipher, type ManualClock } from '@vuka/platform';

import { DeliverWebhooks } from './deliver-webhooks.js';
import { deliveryOperations } from './delivery-operations.js';
import { EnsureWebhookSecret } from './ensure-webhook-secret.js';
import { HandJobs, orderEvent, startTestDatabase, testCipher, testClock, transactionEvent, type TestDatabase } from './notifier.spec-support.js';
import type { WebhookRequest } from './post-webhook.js';
import { RecordPublicChange } from './record-public-change.js';
import type { AttemptOutcome } from './retry-schedule.js';
import { DeliveryStore } from './store/delivery.store.js';
import { LaneStore } from './store/lane.store.js';
import { NOTIFIER_MIGRATIONS } from './store/migrations.js';
import { WebhookSecretStore } from './store/webhook-secret.store.js';

export const OK: AttemptOutcome = { kind: 'answered', status: 204, retryAfter: null };
export const DOWN: AttemptOutcome = { kind: 'answered', status: 503, retryAfter: null };

/** Longer than any delay between two attempts, and than a host is held back. */
export const LONG_MS = 2 * 86_400_000;
/** Of a schedule. */
export const TRIES = 10;

export interface Told {
  readonly transactionId: number;
  readonly sequence?: number;
  readonly type?: 'transaction.processing' | 'transaction.complete';
  readonly partnerId?: number;
  readonly host?: string;
}

/** notifier's own parts on a real database: events are told by hand, and receivers are what `answers` says. */
export class DeliveryScene {
  public clock: ManualClock = testClock();
  /** By host; OK for others. */
  public answers = new Map<string, AttemptOutcome>();
  public posted: WebhookRequest[] = [];
  public cipher: Cipher = testCipher;
  public readonly log = createLogger('notifier', { level: 'silent' });

  private constructor(
    private readonly server: TestDatabase,
    public readonly db: Database,
  ) {}

  public static async start(): Promise<DeliveryScene> {
    const server = await startTestDatabase();
    const db = await Database.connect({ ...server.config, migrations: NOTIFIER_MIGRATIONS });
    await db.migrate();
    return new DeliveryScene(server, db);
  }

  public async clear(): Promise<void> {
    await this.db.query('truncate deliveries, delivery_attempts, inbox, delivery_lanes, webhook_secrets');
    this.clock = testClock();
    this.answers = new Map();
    this.posted = [];
    this.cipher = testCipher;
  }

  public async stop(): Promise<void> {
    await this.db.close();
    await this.server.stop();
  }

  public get operations(): ReturnType<typeof deliveryOperations> {
    return deliveryOperations({ lists: this.db, signal: new WakeSignal(), clock: this.clock, log: this.log });
  }

  public get secrets(): EnsureWebhookSecret {
    return new EnsureWebhookSecret(new WebhookSecretStore(this.db), this.cipher, this.clock);
  }

  public async tell({ transactionId, sequence = 1, type = 'transaction.complete', partnerId = 1, host = 'a.example' }: Told): Promise<void> {
    await this.changes().run(transactionEvent({ type, transactionId, sequence, partnerId, url: `https://${host}/hooks?x=1`, occurredAt: this.clock.now() }));
  }

  public async tellOrder(number: number, partnerId = 1): Promise<void> {
    await this.changes().run(orderEvent({ type: 'order.complete', transactionId: number, sequence: 1, partnerId, url: 'https://a.example/orders', occurredAt: this.clock.now() }));
  }

  /** So many rounds of what is due, each `aheadMs` after the one before. */
  public async deliver(rounds = 1, aheadMs = LONG_MS): Promise<void> {
    const deliverer = new DeliverWebhooks({
      deliveries: new DeliveryStore(this.db),
      lanes: new LaneStore(this.db),
      secrets: this.secrets,
      post: async (request) => {
        this.posted.push(request);
        return this.answers.get(new URL(request.url).host) ?? OK;
      },
      signal: new WakeSignal(),
      jobs: new HandJobs(),
      clock: this.clock,
      log: this.log,
      random: () => 0,
    });
    for (let round = 0; round < rounds; round += 1) {
      while (await deliverer.tick()) await deliverer.drain();
      await deliverer.drain();
      this.clock.advance(aheadMs);
    }
  }

  private changes(): RecordPublicChange {
    return new RecordPublicChange(new DeliveryStore(this.db), new WakeSignal(), this.clock);
  }
}
