import { DeadLetterStore } from '@vuka/messaging';
import { DeliveryDesk, type DeliveryStory, NOTIFIER_MIGRATIONS } from '@vuka/notifier';
import { Database, type DatabaseConfig } from '@vuka/persistence';

import type { GivenUpView, WebhookView } from './message-views.js';

const MOST_SHOWN = 100;

/** What notifier's tables tell the desk, through notifier's own login and read models. */
export class NotifierDesk {
  /** Of the events that notifier reads. */
  readonly letters: DeadLetterStore;
  private readonly deliveries: DeliveryDesk;

  private constructor(private readonly db: Database) {
    this.letters = new DeadLetterStore(db);
    this.deliveries = new DeliveryDesk(db);
  }

  static async open(database: Omit<DatabaseConfig, 'migrations' | 'entities'>): Promise<NotifierDesk> {
    return new NotifierDesk(await Database.connect({ ...database, migrations: [] }));
  }

  /** Names of migrations that this program knows and the folder has not run. */
  async missingMigrations(): Promise<string[]> {
    const ran = await this.db.query<{ name: string }>('select name from migrations');
    const names = new Set(ran.map(({ name }) => name));
    return NOTIFIER_MIGRATIONS.map((migration) => String(new migration().name)).filter((name) => !names.has(name));
  }

  /** In the order in which they were to be told, with each POST. */
  async webhooksOf(transactionId: number): Promise<WebhookView[]> {
    const deliveries = await this.deliveries.deliveriesOf(transactionId);
    return deliveries.map((delivery) => ({
      ...deliveryView(delivery),
      sequence: delivery.sequence,
      posts: delivery.posts.map((post) => ({
        attempt: post.attempt, started_at: post.startedAt.toISOString(), duration_ms: post.durationMs, status: post.status, error: post.error,
      })),
    }));
  }

  /** Longest resting first. */
  async givenUp(): Promise<{ deliveries: Omit<GivenUpView, 'transaction_code'>[]; more: boolean }> {
    const deliveries = await this.deliveries.givenUp({ limit: MOST_SHOWN + 1 });
    return {
      deliveries: deliveries.slice(0, MOST_SHOWN).map((delivery) => ({
        ...deliveryView(delivery), transaction_id: delivery.transactionId, partner_id: delivery.partnerId,
      })),
      more: deliveries.length > MOST_SHOWN,
    };
  }

  close(): Promise<void> {
    return this.db.close();
  }
}

function deliveryView(delivery: DeliveryStory) {
  return {
    webhook_id: delivery.webhookId,
    event: delivery.event,
    state: delivery.state,
    host: delivery.host,
    attempts: delivery.attempts,
    created_at: delivery.createdAt.toISOString(),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    settled_at: delivery.settledAt?.toISOString() ?? null,
  };
}
