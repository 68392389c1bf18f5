import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { createOutboundAgent, outboundPolicy } from '@vuka/http';
import type { JobClock } from '@vuka/jobs';
import { DeadLetterStore, type Wire } from '@vuka/messaging';
import { EventServer } from '@vuka/messaging/event-server';
import { Database, type DatabaseConfig } from '@vuka/persistence';
import { type Cipher, type Clock, type Logger, Metrics, WakeSignal } from '@vuka/runtime';
import type { Agent } from 'undici';

import {
  CONSUMER_GROUP,
  EVENTS_AT_ONCE,
  OrderConsumer,
  RecordPublicChange,
  TransactionConsumer,
} from './changes/index.js';
import {
  createPostWebhook,
  DeliverWebhooks,
  DELIVERY_TIMEOUT_MS,
  DeliveryStore,
  ExpirePayloads,
  LaneStore,
  NotifierMetrics,
  SweepLanes,
} from './deliveries/index.js';
import { forLists } from './log/index.js';
import { EnsureWebhookSecret, WebhookSecretStore } from './secrets/index.js';
import { NOTIFIER_MIGRATIONS } from './store/migrations.js';

/** What notifier is given by whoever composes it. */
export interface NotifierDependencies {
  readonly settings: Pick<Settings, 'env' | 'webhookAllowPrivate' | 'webhookPayloadDays'>;
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly wire: Pick<Wire, 'subscribe'>;
  readonly jobs: Pick<JobClock, 'every' | 'wakeAt'>;
  /** Told after each commit that wrote to the outbox: the relay's signal. */
  readonly outboxSignal?: WakeSignal;
  readonly clock: Clock;
  /** Whether it is the database's, too; left out where both are of one machine. */
  readonly clockAgrees?: () => Promise<boolean>;
  readonly log: Logger;
  /** Seals webhook secrets. */
  readonly cipher: Cipher;
  readonly metrics?: Metrics;
}

/** The undici agent every webhook goes out through. */
export const OUTBOUND_AGENT = 'notifier outbound agent';

/** Connections for partners' lists alone: whoever looks through a million rows keeps no delivery waiting. */
export const LISTS_DATABASE = 'notifier lists database';

/** What notifier is made of. */
@Module({})
export class AppModule {
  public static of(deps: NotifierDependencies): DynamicModule {
    return {
      module: AppModule,
      controllers: [TransactionConsumer, OrderConsumer],
      providers: [...groundOf(deps), ...workOf(deps)],
    };
  }
}

/** Databases and their tables, the wire, and the way out. */
function groundOf(deps: NotifierDependencies): FactoryProvider[] {
  return [
    {
      provide: Database,
      useFactory: () => Database.connect({ ...deps.database, migrations: NOTIFIER_MIGRATIONS }),
    },
    { provide: LISTS_DATABASE, useFactory: () => Database.connect(forLists(deps.database)) },
    {
      provide: OUTBOUND_AGENT,
      useFactory: () => createOutboundAgent({ ...outboundPolicy(deps.settings), timeoutMs: DELIVERY_TIMEOUT_MS }),
    },
    {
      provide: EventServer,
      inject: [Database],
      useFactory: (db: Database) =>
        new EventServer({
          group: CONSUMER_GROUP,
          wire: deps.wire,
          deadLetters: new DeadLetterStore(db),
          concurrency: EVENTS_AT_ONCE,
        }),
    },
    { provide: WakeSignal, useFactory: () => new WakeSignal() },
    { provide: DeliveryStore, inject: [Database], useFactory: (db: Database) => new DeliveryStore(db) },
    { provide: LaneStore, inject: [Database], useFactory: (db: Database) => new LaneStore(db) },
    { provide: WebhookSecretStore, inject: [Database], useFactory: (db: Database) => new WebhookSecretStore(db) },
  ];
}

/** What is done with them. */
function workOf(deps: NotifierDependencies): FactoryProvider[] {
  const { clock, cipher, jobs, log, outboxSignal, metrics = new Metrics('notifier') } = deps;
  return [
    {
      provide: ExpirePayloads,
      inject: [Database],
      useFactory: (db: Database) => new ExpirePayloads({ ...deps, db, payloadDays: deps.settings.webhookPayloadDays }),
    },
    {
      provide: NotifierMetrics,
      inject: [LaneStore],
      useFactory: (lanes: LaneStore) => new NotifierMetrics(metrics, lanes, clock),
    },
    {
      provide: SweepLanes,
      inject: [LaneStore, WakeSignal],
      useFactory: (lanes: LaneStore, signal: WakeSignal) => new SweepLanes(lanes, signal, clock, log),
    },
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
      inject: [DeliveryStore, LaneStore, EnsureWebhookSecret, OUTBOUND_AGENT, WakeSignal, NotifierMetrics],
      useFactory: (
        deliveries: DeliveryStore,
        lanes: LaneStore,
        secrets: EnsureWebhookSecret,
        agent: Agent,
        signal: WakeSignal,
        meters: NotifierMetrics,
      ) =>
        new DeliverWebhooks({
          deliveries,
          lanes,
          secrets,
          post: createPostWebhook(agent),
          signal,
          jobs,
          clock,
          log,
          random: Math.random,
          metrics: meters,
          ...(outboxSignal !== undefined && { outboxSignal }),
        }),
    },
  ];
}
