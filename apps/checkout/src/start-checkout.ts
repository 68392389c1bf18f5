import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import type { InternalHandlers, checkoutApi } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import { EventServer } from '@vuka/messaging/event-server';
import { Database, ensureMonthlyPartitions } from '@vuka/persistence';
import { nestLogger, runLoop, type RunningLoop, type RunningService, WakeSignal } from '@vuka/runtime';

import { AppModule, type CheckoutDependencies } from './app.module.js';
import { JudgeOrders } from './judging/index.js';
import { CreateOrder, OrderStore, PageOrders, viewOf } from './orders/index.js';

export interface CheckoutService extends RunningService {
  readonly handlers: InternalHandlers<typeof checkoutApi>;
  /** Where its outbox is. */
  readonly db: Database;
}

/** What start-up gets from the module. */
interface App {
  get<T>(token: abstract new (...args: never[]) => T): T;
  close(): Promise<void>;
}

const PARTITIONED_TABLES = ['outbox', 'inbox'];
const MONTHS_AHEAD = 2;
/** The longest that an order whose time has come is unlooked at, where nobody wakes the loop. */
const IDLE_MS = 1_000;

const NO_SUCH_ORDER: Result<never> = fail({ code: 'not_found', message: 'There is no such order' });

/**
 * Connects, migrates and subscribes: call it before the wire and the job clock are started. Events are taken in once the wire runs; what ends by time ends from
 * this service's own start on.
 */
export async function startCheckout(deps: CheckoutDependencies): Promise<CheckoutService> {
  const options: AsyncMicroserviceOptions = {
    inject: [EventServer],
    useFactory: (strategy: EventServer) => ({ strategy }),
  };
  const app = await NestFactory.createMicroservice(AppModule.of(deps), {
    ...options,
    logger: nestLogger(deps.log),
    abortOnError: false,
  });
  const db = app.get(Database);
  try {
    await db.migrate();
    await makePartitions(db, deps);
    await app.listen();
  } catch (error) {
    await db.close();
    throw error;
  }
  return serviceOf(app, db, deps);
}

function serviceOf(app: App, db: Database, deps: CheckoutDependencies): CheckoutService {
  const { jobs, log } = deps;
  const judge = app.get(JudgeOrders);
  const pager = app.get(PageOrders);
  const signal = new WakeSignal();
  jobs.every('checkout.judge-due', () => signal.notify());
  jobs.every('checkout.page-orders', () => pager.run());
  jobs.every('checkout.make-partitions', () => makePartitions(db, deps));
  let loop: RunningLoop | undefined;
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await app.close();
    await loop?.stop();
    await db.close();
  };
  return {
    name: 'checkout',
    db,
    handlers: handlersOf(app, db),
    start: async () => {
      loop ??= runLoop({ name: 'judge-due-orders', tick: () => judge.tick(), signal, idleMs: IDLE_MS, log });
    },
    ready: async () => {
      if (loop === undefined) return 'not started';
      await db.ping();
      return true;
    },
    stop: () => (stopped ??= stop()),
  };
}

function handlersOf(app: App, db: Database): InternalHandlers<typeof checkoutApi> {
  const orders = new OrderStore(db);
  const create = app.get(CreateOrder);
  return {
    createOrder: (input, context) => create.run(input, context),
    orderStatus: async ({ partner_id: partnerId, order_id: orderId }) => {
      const found = await orders.named(partnerId, orderId);
      return found === undefined ? NO_SUCH_ORDER : ok(await viewOf(db, found));
    },
    orderByToken: async ({ page_token: token }) => {
      const found = await orders.byToken(token);
      return found === undefined ? NO_SUCH_ORDER : ok(await viewOf(db, found));
    },
  };
}

/** A month that cannot be made is an alarm and no outage: its rows go to the default partition. */
async function makePartitions(db: Database, { clock, log }: CheckoutDependencies): Promise<void> {
  for (const table of PARTITIONED_TABLES) {
    try {
      await ensureMonthlyPartitions(db, table, clock.now(), MONTHS_AHEAD);
    } catch (error) {
      log.error({ code: 'partition_missing', err: error, table }, 'monthly partitions could not be made');
    }
  }
}
