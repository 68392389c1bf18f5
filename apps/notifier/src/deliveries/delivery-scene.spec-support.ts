import { Database, ensureMonthlyPartitions } from '@vuka/persistence';
import { type Cipher, createLogger, type ManualClock, WakeSignal } from '@vuka/runtime';

import { RecordPublicChange, type TransactionEventType } from '../changes/record-public-change.js';
import { deliveryOperations, forLists } from '../log/delivery-operations.js';
import { EnsureWebhookSecret } from '../secrets/ensure-webhook-secret.js';
import { WebhookSecretStore } from '../secrets/webhook-secret.store.js';
import {
  HandJobs,
  orderEvent,
  startTestDatabase,
  testCipher,
  testClock,
  transactionEvent,
  type TestDatabase,
} from '../testing/notifier.spec-support.js';
import { DeliverWebhooks, type DeliverWebhooksParts } from './deliver-webhooks.js';
import { DeliveryStore } from './delivery.store.js';
import { LaneStore } from './lane.store.js';
import type { PostWebhook, WebhookRequest } from './post-webhook.js';
import type { AttemptOutcome } from './retry-schedule.js';

export const OK: AttemptOutcome = { kind: 'answered', status: 204, retryAfter: null };
export const DOWN: AttemptOutcome = { kind: 'answered', status: 503, retryAfter: null };
export const AWAY: AttemptOutcome = { kind: 'failed', error: 'unreachable' };

/** Longer than any delay between two attempts, and than a host is held back. */
export const LONG_MS = 2 * 86_400_000;
/** Of a schedule. */
export const TRIES = 10;

export interface Told {
  readonly transactionId: number;
  readonly sequence?: number;
  readonly type?: TransactionEventType;
  readonly partnerId?: number;
  readonly host?: string;
  /** Some path of `host` where absent. */
  readonly url?: string;
}

/** notifier's own parts on a real database: events are told by hand, and receivers are what `answers` says. */
export class DeliveryScene {
  public clock: ManualClock = testClock();
  /** By host; OK for others. */
  public answers = new Map<string, AttemptOutcome>();
  public posted: WebhookRequest[] = [];
  public cipher: Cipher = testCipher;
  public readonly log = createLogger('notifier', { level: 'silent' });
  /** Where deliverers are told of no other. */
  public readonly post: PostWebhook = async (request) => {
    this.posted.push(request);
    return this.answers.get(new URL(request.url).host) ?? OK;
  };

  private constructor(
    private readonly server: TestDatabase,
    public readonly db: Database,
  ) {}

  public static async start(): Promise<DeliveryScene> {
    const server = await startTestDatabase();
    // As it runs: its plans are those of a service. And several processes are at it at once.
    const db = await server.connect({ lookupsOnly: true, maxConnections: 12 });
    await ensureMonthlyPartitions(db, 'deliveries', new Date(), 1);
    return new DeliveryScene(server, db);
  }

  public async clear(): Promise<void> {
    await this.db.query(
      'truncate deliveries, delivery_attempts, delivery_lanes, inbox, outbox, endpoint_event_numbers, webhook_secrets',
    );
    this.clock = testClock();
    this.answers = new Map();
    this.posted = [];
    this.cipher = testCipher;
  }

  public async stop(): Promise<void> {
    await this.server.stop();
  }

  public get operations(): ReturnType<typeof deliveryOperations> {
    return this.operationsOn(this.db);
  }

  public operationsOn(lists: Database): ReturnType<typeof deliveryOperations> {
    return deliveryOperations({ lists, signal: new WakeSignal(), clock: this.clock, log: this.log });
  }

  /** As operations have it, with other patience. Whoever opens it closes it. */
  public lists(statementTimeoutMs: number): Promise<Database> {
    return Database.connect({ ...forLists(this.server.config), statementTimeoutMs });
  }

  public get secrets(): EnsureWebhookSecret {
    return new EnsureWebhookSecret(new WebhookSecretStore(this.db), this.cipher, this.clock);
  }

  /** What takes events in, of one process. */
  public changes(): RecordPublicChange {
    return new RecordPublicChange(new DeliveryStore(this.db), new WakeSignal(), this.clock);
  }

  /** Together, as a wire hands them over. */
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

  /** Of one process: several share the database. */
  public deliverer(parts: Partial<DeliverWebhooksParts> = {}): DeliverWebhooks {
    return new DeliverWebhooks({
      deliveries: new DeliveryStore(this.db),
      lanes: new LaneStore(this.db),
      secrets: this.secrets,
      post: this.post,
      signal: new WakeSignal(),
      jobs: new HandJobs(),
      clock: this.clock,
      log: this.log,
      random: () => 0,
      ...parts,
    });
  }

  /** So many rounds of what is due, each `aheadMs` after the one before. */
  public async deliver(rounds = 1, aheadMs = LONG_MS): Promise<void> {
    const deliverer = this.deliverer();
    for (let round = 0; round < rounds; round += 1) {
      await deliverAll(deliverer);
      this.clock.advance(aheadMs);
    }
  }
}

/** Rounds until one finds nothing to do, each of its POSTs recorded. */
export async function deliverAll(...through: readonly DeliverWebhooks[]): Promise<void> {
  for (let more = true; more;) {
    const rounds = await Promise.all(through.map((one) => one.tick()));
    await Promise.all(through.map((one) => one.drain()));
    more = rounds.includes(true);
  }
}
