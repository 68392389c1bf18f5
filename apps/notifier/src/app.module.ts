import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import type { JobClock } from '@vuka/jobs';
import { DeadLetterStore, type Wire } from '@vuka/messaging';
import { EventServer } from '@vuka/messaging/event-server';
import { Database, type DatabaseConfig } from '@vuka/persistence';
import { WakeSignal, createOutboundAgent, outboundPolicy, type Cipher, type Clock, type Logger, type Settings } from '@vuka/platform';
import type { Agent } from 'undici';

import { OrderConsumer } from './consumers/order.consumer.js';
import { TransactionConsumer } from './consumers/transaction.consumer.js';
import { DeliverWebhooks } from './deliver-webhooks.js';
import { EnsureWebhookSecret } from './ensure-webhook-secret.js';
import { DELIVERY_TIMEOUT_MS, createPostWebhook } from './post-webhook.js';
import { CONSUMER_GROUP, EVENTS_AT_ONCE, RecordPublicChange } from './record-public-change.js';
import { DeliveryStore } from './store/delivery.store.js';
import { NOTIFIER_MIGRATIONS } from './store/migrations.js';
import { WebhookSecretStore } from './store/webhook-secret.store.js';

/** What notifier is given by whoever composes it. */
export interface NotifierDependencies {
  readonly settings: Pick<Settings, 'env' | 'webhookAllowPrivate'>;
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly wire: Pick<Wire, 'subscribe'>;
  readonly jobs: Pick<JobClock, 'every' | 'wakeAt'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Seals webhook secrets. */
  readonly cipher: Cipher;
}

/** The undici agent every webhook goes out through. */
export const OUTBOUND_AGENT = 'notifier outbound agent';

/** What notifier is made of. */
@Module({})
export class AppModule {
  public static of(deps: NotifierDependencies): DynamicModule {
    const { clock, cipher, jobs, log } = deps;
    const providers: FactoryProvider[] = [
      {
        provide: Database,
        useFactory: () => Database.connect({ ...deps.database, migrations: NOTIFIER_MIGRATIONS }),
      },
      {
        provide: OUTBOUND_AGENT,
        useFactory: () => createOutboundAgent({ ...outboundPolicy(deps.settings), timeoutMs: DELIVERY_TIMEOUT_MS }),
      },
      {
        provide: EventServer,
        inject: [Database],
        useFactory: (db: Database) =>
          new EventServer({ group: CONSUMER_GROUP, wire: deps.wire, deadLetters: new DeadLetterStore(db), concurrency: EVENTS_AT_ONCE }),
      },
      { provide: WakeSignal, useFactory: () => new WakeSignal() },
      { provide: DeliveryStore, inject: [Database], useFactory: (db: Database) => new DeliveryStore(db) },
      { provide: WebhookSecretStore, inject: [Database], useFactory: (db: Database) => new WebhookSecretStore(db) },
      {
        provide: EnsureWebhookSecret,
        inject: [WebhookSecretStore],
        useFactory: (secrets: WebhookSecretStore) => new EnsureWebhookSecret(secrets, cipher, clock),
      },
      {
        provide: RecordPublicChange,
        inject: [DeliveryStore, WakeSignal],
        useFactory: (deliveries: DeliveryStore, signal: WakeSignal) => new RecordPublicChange(deliveries, signal, clock),
      },
      {
        provide: DeliverWebhooks,
        inject: [DeliveryStore, EnsureWebhookSecret, OUTBOUND_AGENT, WakeSignal],
        useFactory: (deliveries: DeliveryStore, secrets: EnsureWebhookSecret, agent: Agent, signal: WakeSignal) =>
          new DeliverWebhooks({ deliveries, secrets, post: createPostWebhook(agent), signal, jobs, clock, log, random: Math.random }),
      },
    ];
    return { module: AppModule, controllers: [TransactionConsumer, OrderConsumer], providers };
  }
}
