import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import type { InternalHandlers, notifierApi } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import { EventServer } from '@vuka/messaging/event-server';
import { Database, ensureMonthlyPartitions } from '@vuka/persistence';
import { nestLogger, runLoop, type RunningLoop, type RunningService, WakeSignal } from '@vuka/runtime';
import type { Agent } from 'undici';

import { AppModule, LISTS_DATABASE, OUTBOUND_AGENT, type NotifierDependencies } from './app.module.js';
import { DeliverWebhooks, ExpirePayloads, SweepLanes } from './deliveries/index.js';
import { deliveryOperations } from './log/index.js';
import { EnsureWebhookSecret } from './secrets/index.js';

export interface NotifierService extends RunningService {
  readonly handlers: InternalHandlers<typeof notifierApi>;
  /** Where its outbox is. */
  readonly db: Database;
}

const PARTITIONED_TABLES = ['deliveries', 'delivery_attempts', 'inbox', 'outbox'];
const MONTHS_AHEAD = 2;
/** The longest the deliverer sleeps unwoken; its queue's interval is shorter. */
const IDLE_MS = 5_000;
/** A claim is a commit: what becomes due together should go out together. */
const GATHER_MS = 10;

/**
 * Connects, migrates and subscribes: call it before the wire and the job clock are started. Events are taken in once
 * the wire runs; webhooks go out from this service's own start on.
 */
export async function startNotifier(deps: NotifierDependencies): Promise<NotifierService> {
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
  const deliverer = app.get(DeliverWebhooks);
  const signal = app.get(WakeSignal);
  const agent = app.get<Agent>(OUTBOUND_AGENT);
  const lists = app.get<Database>(LISTS_DATABASE);
  try {
    await db.migrate();
    await makePartitions(db, deps);
    await app.listen();
  } catch (error) {
    await agent.destroy();
    await lists.close();
    await db.close();
    throw error;
  }
  deps.jobs.every('notifier.deliver-webhooks', () => signal.notify());
  deps.jobs.every('notifier.sweep-lanes', () => app.get(SweepLanes).run());
  deps.jobs.every('notifier.make-partitions', () => makePartitions(db, deps));
  deps.jobs.every('notifier.expire-payloads', () => app.get(ExpirePayloads).run());

  let loop: RunningLoop | undefined;
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await app.close();
    await loop?.stop();
    // What cannot be recorded goes out again once its lease has lapsed.
    await deliverer.drain().catch((error: unknown) => deps.log.warn({ err: error }, 'last outcomes not recorded'));
    await agent.destroy();
    await lists.close();
    await db.close();
  };
  return {
    name: 'notifier',
    db,
    handlers: { ...secretOperations(app.get(EnsureWebhookSecret)), ...deliveryOperations({ ...deps, lists, signal }) },
    start: async () => {
      loop ??= runLoop({
        name: 'deliver-webhooks',
        tick: () => deliverer.tick(),
        signal,
        idleMs: IDLE_MS,
        gatherMs: GATHER_MS,
        log: deps.log,
      });
    },
    ready: async () => {
      if (loop === undefined) return 'not started';
      await db.ping();
      return true;
    },
    stop: () => (stopped ??= stop()),
  };
}

function secretOperations(
  secrets: EnsureWebhookSecret,
): Pick<InternalHandlers<typeof notifierApi>, 'ensureWebhookSecret'> {
  return {
    ensureWebhookSecret: async ({ partner_id }) => ok({ secret: await secrets.run(partner_id) }),
  };
}

/** A month that cannot be made is an alarm and no outage: its rows go to the default partition. */
async function makePartitions(db: Database, { clock, log }: NotifierDependencies): Promise<void> {
  for (const table of PARTITIONED_TABLES) {
    try {
      await ensureMonthlyPartitions(db, table, clock.now(), MONTHS_AHEAD);
    } catch (error) {
      log.error({ code: 'partition_missing', err: error, table }, 'monthly partitions could not be made');
    }
  }
}
