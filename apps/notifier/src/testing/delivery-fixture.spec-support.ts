import { loadSettings } from '@vuka/config';
import type { JobClock } from '@vuka/jobs';
import { Database, ensureMonthlyPartitions } from '@vuka/persistence';
import { type Cipher, createLogger, type ManualClock, Metrics, WakeSignal, type WebhookCipher } from '@vuka/runtime';

import { RecordPublicChange, type TransactionEventType } from '../changes/record-public-change.js';
import { DELIVERY_LIMITS, type DeliveryLimits, DeliveryPlaces } from '../deliveries/delivery-places.js';
import { DeliveryStore } from '../deliveries/delivery.store.js';
import { ExpirePayloads } from '../deliveries/expire-payloads.js';
import { DeliveryQueueStore } from '../deliveries/delivery-queue.store.js';
import { NotifierMetrics } from '../deliveries/notifier-metrics.js';
import type { AttemptOutcome } from '../deliveries/retry-schedule.js';
import { DeliveryLogStore } from '../log/delivery-log.store.js';
import { DeliveryOperations } from '../log/delivery-operations.js';
import { ListDeliveries } from '../log/list-deliveries.js';
import { ResendDeliveries } from '../log/resend-deliveries.js';
import { SendTestWebhook } from '../log/send-test-webhook.js';
import { notifier } from '../notifier.js';
import { DeliveryVault } from '../secrets/delivery-vault.js';
import { EnsureWebhookSecret } from '../secrets/ensure-webhook-secret.js';
import { WebhookSecretStore } from '../secrets/webhook-secret.store.js';
import { AttemptDelivery } from '../sending/attempt-delivery.js';
import { CountDeliveryQueueOutcomes } from '../sending/count-delivery-queue-outcomes.js';
import { DeliverWebhooks } from '../sending/deliver-webhooks.js';
import type { PostWebhook, WebhookRequest } from '../sending/post-webhook.js';
import { RecordAttempts } from '../sending/record-attempts.js';
import {
  HandJobs,
  orderEvent,
  startTestDatabase,
  testCipher,
  testWebhookCipher,
  testClock,
  transactionEvent,
  type TestDatabase,
} from './notifier.spec-support.js';

export const OK: AttemptOutcome = { kind: 'answered', status: 204, retryAfter: null };
export const DOWN: AttemptOutcome = { kind: 'answered', status: 503, retryAfter: null };
export const AWAY: AttemptOutcome = { kind: 'failed', error: 'unreachable' };

/** Longer than any retry delay or hold. */
export const LONG_MS = 2 * 86_400_000;
/** Per schedule. */
export const TRIES = 10;

export interface Told {
  readonly transactionId: number;
  readonly sequence?: number;
  readonly type?: TransactionEventType;
  readonly partnerId?: number;
  readonly host?: string;
  /** Default: some path of `host`. */
  readonly url?: string;
}

/** Defaults: the fixture's parts. */
export interface DelivererParts {
  readonly deliveries?: DeliveryStore;
  readonly post?: PostWebhook;
  readonly limits?: DeliveryLimits;
  readonly outboxSignal?: WakeSignal;
  readonly metrics?: NotifierMetrics;
}

/** Real database; events by hand; receivers answer from `answers`. */
export class DeliveryFixture {
  public clock: ManualClock = testClock();
  /** By host; default OK. */
  public answers = new Map<string, AttemptOutcome>();
  public posted: WebhookRequest[] = [];
  public cipher: Cipher = testCipher;
  public told: WebhookCipher = testWebhookCipher;
  public readonly log = createLogger('notifier', { level: 'silent' });
  public readonly post: PostWebhook = async (request) => {
    this.posted.push(request);
    return this.answers.get(new URL(request.url).host) ?? OK;
  };

  private constructor(
    private readonly server: TestDatabase,
    public readonly db: Database,
  ) {}

  public static async start(): Promise<DeliveryFixture> {
    const server = await startTestDatabase();
    // Like a real service: its query plans, and several processes.
    const db = await server.connect({ lookupsOnly: true, maxConnections: 12 });
    await ensureMonthlyPartitions(db, 'deliveries', new Date(), 1);
    return new DeliveryFixture(server, db);
  }

  public async clear(): Promise<void> {
    await this.db.query(
      'truncate deliveries, delivery_attempts, delivery_queues, inbox, outbox, endpoint_event_numbers, webhook_secrets',
    );
    this.clock = testClock();
    this.answers = new Map();
    this.posted = [];
    this.cipher = testCipher;
    this.told = testWebhookCipher;
  }

  public async stop(): Promise<void> {
    await this.server.stop();
  }

  public get operations(): DeliveryOperations['handlers'] {
    return this.operationsOn(this.db);
  }

  public operationsOn(lists: Database): DeliveryOperations['handlers'] {
    const signal = new WakeSignal();
    return new DeliveryOperations(
      new SendTestWebhook(lists, signal, this.clock, this.vault),
      new ResendDeliveries(lists, signal, this.clock),
      new ListDeliveries(new DeliveryLogStore(lists), this.log, this.vault),
    ).handlers;
  }

  /** Bodies are kept for 30 days. */
  public expiring(clockAgrees = true): ExpirePayloads {
    const settings = { ...loadSettings({}), webhookPayloadDays: 30 };
    return new ExpirePayloads(this.db, settings, this.clock, async () => clockAgrees, this.log);
  }

  /** As in operations, with another timeout. The caller closes it. */
  public lists(statementTimeoutMs: number): Promise<Database> {
    return Database.connect({ ...this.server.config, migrations: [], ...notifier.database?.lists, statementTimeoutMs });
  }

  public get vault(): DeliveryVault {
    return new DeliveryVault(this.cipher, this.told);
  }

  public get secrets(): EnsureWebhookSecret {
    return new EnsureWebhookSecret(new WebhookSecretStore(this.db), this.cipher, this.clock, this.vault);
  }

  public changes(): RecordPublicChange {
    return new RecordPublicChange(new DeliveryStore(this.db), this.vault, new WakeSignal(), this.clock, this.log);
  }

  /** Together, as an event bus. */
  public async tell(...told: readonly Told[]): Promise<void> {
    const changes = this.changes();
    await Promise.all(told.map(({ type = 'transaction.complete', sequence = 1, host = 'a.example', url = `https://${host}/hooks?x=1`, ...one }) =>
      changes.run(transactionEvent({ type, sequence, url, ...one, occurredAt: this.clock.now() })),
    )); // prettier-ignore
  }

  public async tellOrder(number: number, partnerId = 1): Promise<void> {
    await this.changes().run(
      orderEvent({
        type: 'order.complete',
        transactionId: number,
        sequence: 1,
        partnerId,
        url: 'https://a.example/orders',
        occurredAt: this.clock.now(),
      }),
    );
  }

  /** One process; several share the database. */
  public deliverer({
    deliveries = new DeliveryStore(this.db),
    post = this.post,
    limits = DELIVERY_LIMITS,
    outboxSignal = new WakeSignal(),
    metrics = new NotifierMetrics(new Metrics('notifier'), new DeliveryQueueStore(this.db), this.clock),
  }: DelivererParts = {}): DeliverWebhooks {
    const { clock, log } = this;
    const random = (): number => 0;
    const jobs = new HandJobs() as unknown as JobClock;
    const countDeliveryQueues = new CountDeliveryQueueOutcomes(new DeliveryQueueStore(this.db), clock, log, random);
    return new DeliverWebhooks(
      deliveries,
      new DeliveryPlaces(limits),
      new AttemptDelivery(this.secrets, metrics, post, clock, log, random),
      new RecordAttempts(deliveries, countDeliveryQueues, jobs, outboxSignal, clock, log),
      new WakeSignal(),
      clock,
    );
  }

  /** Rounds of due deliveries, `aheadMs` apart. */
  public async deliver(rounds = 1, aheadMs = LONG_MS): Promise<void> {
    const deliverer = this.deliverer();
    for (let round = 0; round < rounds; round += 1) {
      await deliverAll(deliverer);
      this.clock.advance(aheadMs);
    }
  }
}

/** Until nothing is left and all POSTs are recorded. */
export async function deliverAll(...through: readonly DeliverWebhooks[]): Promise<void> {
  for (let more = true; more;) {
    const rounds = await Promise.all(through.map((one) => one.tick()));
    await Promise.all(through.map((one) => one.drain()));
    more = rounds.includes(true);
  }
}
