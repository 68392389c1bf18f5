import { reads, type OpenDesk } from '@vuka/contracts';
import { deadLetterMethods } from '@vuka/messaging';
import { actMethods, Database, missingMigrations, type DatabaseConfig } from '@vuka/persistence';
import type { Cipher, Clock } from '@vuka/runtime';
import { z } from 'zod';

import { NOTIFIER_MIGRATIONS } from '../store/migrations.js';
import { DeliveryDesk, type DeliveryStory } from './delivery-desk.js';
import type { GivenUpWebhook, WebhookView } from './views.js';
import { webhookMethods } from './webhook-methods.js';

export interface NotifierDeskGround {
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly cipher: Cipher;
  readonly clock: Clock;
}

export type NotifierDeskMethods = ReturnType<typeof methodsOf>;

const MOST_SHOWN = 100;

/** What people may see and do of notifier: through its own login and tables. Throws where the database is not reached or does not know this login. */
export async function openNotifierDesk({
  database,
  cipher,
  clock,
}: NotifierDeskGround): Promise<OpenDesk<NotifierDeskMethods>> {
  const db = await Database.connect({ ...database, migrations: [] });
  return {
    methods: methodsOf(db, cipher, clock),
    missingMigrations: () => missingMigrations(db, NOTIFIER_MIGRATIONS),
    close: () => db.close(),
  };
}

const methodsOf = (db: Database, cipher: Cipher, clock: Clock) => ({
  ...actMethods(db),
  ...deadLetterMethods(db, clock),
  ...webhookMethods({ db, cipher, clock }),
  /** Of one transaction, in the order in which they were to be told, with each POST. */
  webhooksOf: reads([z.int().positive()], async (transactionId): Promise<WebhookView[]> => {
    const deliveries = await new DeliveryDesk(db).deliveriesOf(transactionId);
    return deliveries.map((delivery) => ({
      ...deliveryView(delivery),
      sequence: delivery.sequence,
      posts: delivery.posts.map((post) => ({
        attempt: post.attempt,
        started_at: post.startedAt.toISOString(),
        duration_ms: post.durationMs,
        status: post.status,
        error: post.error,
      })),
    }));
  }),
  /** Longest resting first. */
  givenUp: reads([], async (): Promise<{ deliveries: GivenUpWebhook[]; more: boolean }> => {
    const deliveries = await new DeliveryDesk(db).givenUp({ limit: MOST_SHOWN + 1 });
    return {
      deliveries: deliveries.slice(0, MOST_SHOWN).map((delivery) => ({
        ...deliveryView(delivery),
        transaction_id: delivery.transactionId,
        partner_id: delivery.partnerId,
      })),
      more: deliveries.length > MOST_SHOWN,
    };
  }),
});

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
