import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import type { InternalClient, offrampApi } from '@vuka/contracts';
import type { JobClock } from '@vuka/jobs';
import { DeadLetterStore, type Wire } from '@vuka/messaging';
import { EventServer } from '@vuka/messaging/event-server';
import { Database, type DatabaseConfig } from '@vuka/persistence';
import { type Clock, type Logger, Metrics, type MonotonicClock, type WakeSignal } from '@vuka/runtime';

import { CONSUMER_GROUP, JudgeOrders, OrderDepositConsumer } from './judging/index.js';
import { CheckoutMetrics, CreateOrder, OrderWatch, PageOrders } from './orders/index.js';
import { CHECKOUT_MIGRATIONS } from './store/migrations.js';

/** What checkout is given by whoever composes it. */
export interface CheckoutDependencies {
  readonly settings: Pick<Settings, 'checkout'>;
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly wire: Pick<Wire, 'subscribe'>;
  readonly jobs: Pick<JobClock, 'every'>;
  readonly offramp: Pick<InternalClient<typeof offrampApi>, 'reserveOrder'>;
  /** Told after each commit that wrote to the outbox: the relay's signal. */
  readonly outboxSignal: WakeSignal;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
  readonly metrics?: Metrics;
}

/** Events the wire hands over at the same time: each is a commit, and connections are few. */
const EVENTS_AT_ONCE = 3;

/** What checkout is made of. */
@Module({})
export class AppModule {
  public static of(deps: CheckoutDependencies): DynamicModule {
    const {
      settings: { checkout },
      wire,
      offramp,
      outboxSignal,
      clock,
      log,
      metrics = new Metrics('checkout'),
    } = deps;
    const providers: FactoryProvider[] = [
      { provide: Database, useFactory: () => Database.connect({ ...deps.database, migrations: CHECKOUT_MIGRATIONS }) },
      {
        provide: EventServer,
        inject: [Database],
        useFactory: (db: Database) =>
          new EventServer({
            group: CONSUMER_GROUP,
            wire,
            deadLetters: new DeadLetterStore(db),
            concurrency: EVENTS_AT_ONCE,
          }),
      },
      { provide: OrderWatch, inject: [Database], useFactory: (db: Database) => new OrderWatch(db) },
      {
        provide: CheckoutMetrics,
        inject: [OrderWatch],
        useFactory: (watch: OrderWatch) => new CheckoutMetrics(metrics, watch, clock),
      },
      {
        provide: PageOrders,
        inject: [OrderWatch],
        useFactory: (watch: OrderWatch) => new PageOrders(watch, checkout, clock, log),
      },
      {
        provide: CreateOrder,
        inject: [Database],
        useFactory: (db: Database) => new CreateOrder(db, offramp, checkout, clock),
      },
      {
        provide: JudgeOrders,
        inject: [Database, CheckoutMetrics],
        useFactory: (db: Database, meters: CheckoutMetrics) =>
          new JudgeOrders({ db, settings: checkout, outboxSignal, metrics: meters, clock, log }),
      },
    ];
    return { module: AppModule, controllers: [OrderDepositConsumer], providers };
  }
}
