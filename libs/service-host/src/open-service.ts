import type { Abstract, DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import type { Admins, PeopleDoor } from '@vuka/http';
import { type QueueName, QUEUES } from '@vuka/jobs';
import { EventServer } from '@vuka/messaging/event-server';
import { Database, ensureMonthlyPartitions } from '@vuka/persistence';
import { nestLogger, WakeSignal } from '@vuka/runtime';

import { ContextModule, type ServicePools } from './context.module.js';
import { refuseUndeclared } from './refuse-undeclared.js';
import { sealing } from './sealing.js';
import type {
  ContainerFactory,
  CreateServiceApp,
  OpenedService,
  ServiceApp,
  ServiceContext,
  ServiceDefinition,
  ServiceRoot,
} from './service-context.js';

const MONTHS_AHEAD = 2;

/** The container gets events through its EventServer. */
const EVENTS: AsyncMicroserviceOptions = {
  inject: [EventServer],
  useFactory: (strategy: EventServer) => ({ strategy }),
};

const createServiceApp: CreateServiceApp = (root, { log, events, factory }) => {
  const options = { logger: nestLogger(log), abortOnError: false };
  return events
    ? factory.createMicroservice(root, { ...EVENTS, ...options })
    : factory.createApplicationContext(root, options);
};

/**
 * Call it before the event bus and the job clock start. start() begins the service's own work. On a failure it closes
 * everything, then throws.
 */
export async function openService<R extends ServiceRoot>(
  definition: ServiceDefinition<R>,
  context: ServiceContext,
  factory: ContainerFactory = NestFactory,
): Promise<OpenedService<R>> {
  const pools = await openPools(definition, context);
  const makePartitions = (): Promise<void> => makeMonths(definition, context, pools);
  let app: ServiceApp | undefined;
  try {
    await pools.db?.migrate();
    await makePartitions();
    const outboxSignal = new WakeSignal();
    app = await createContainer(definition, context, { pools, outboxSignal, factory });
    await app.listen?.();
    if (pools.db !== null)
      context.eventBus?.attachProducer({ service: definition.name, db: pools.db, signal: outboxSignal });
    if (pools.db !== null) {
      context.jobs?.every(queueOf(definition.name, 'make-partitions'), makePartitions);
      context.jobs?.every(queueOf(definition.name, 'seal-records'), sealing(pools.db, context));
    }
    return new RunningContainer(definition.name, app, app.get<R>(definition.root, { strict: false }), pools);
  } catch (error) {
    // Report the first failure.
    await Promise.allSettled([app?.close()]);
    await Promise.allSettled([closePools(pools)]);
    throw error;
  }
}

export interface ContainerParts {
  readonly pools: ServicePools;
  readonly outboxSignal?: WakeSignal;
  readonly factory?: ContainerFactory;
}

/** Connects nothing. Throws with the class name. */
export async function createContainer(
  definition: ServiceDefinition,
  context: ServiceContext,
  { pools, outboxSignal = new WakeSignal(), factory = NestFactory }: ContainerParts,
): Promise<ServiceApp> {
  const root = rootModule(definition, ContextModule.of(definition, context, pools, outboxSignal));
  refuseUndeclared(root);
  const createApp = definition.createApp ?? createServiceApp;
  return createApp(root, { log: context.log, events: definition.eventsAtOnce !== undefined, factory });
}

class RunningContainer<R extends ServiceRoot> implements OpenedService<R> {
  private started = false;
  private stopped: Promise<void> | undefined;

  constructor(
    readonly name: string,
    private readonly app: ServiceApp,
    readonly root: R,
    private readonly pools: ServicePools,
  ) {}

  get handlers(): NonNullable<R['handlers']> {
    return this.root.handlers ?? {};
  }

  get<T>(token: Type<T> | Abstract<T> | symbol): T {
    return this.app.get<T>(token, { strict: false });
  }

  get adminOperations(): Admins {
    return this.root.adminOperations ?? {};
  }

  get people(): PeopleDoor | undefined {
    return this.root.people;
  }

  get baseUrl(): string {
    return this.root.baseUrl ?? '';
  }

  async start(): Promise<void> {
    if (this.started) return;
    await this.root.start();
    this.started = true;
  }

  async ready(): Promise<true | string> {
    if (!this.started) return 'not started';
    const state = this.root.ready?.() ?? true;
    if (state === true) await this.pools.db?.ping();
    return state;
  }

  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  /** The root's stop(), events, work in progress (Nest's hooks), connections. */
  private async end(): Promise<void> {
    try {
      await this.root.stop?.();
    } finally {
      // A failure must not prevent the writer's last commits, or leave connections open.
      await closeApp(this.app, () => closePools(this.pools));
    }
  }
}

function queueOf(name: ServiceDefinition['name'], work: 'make-partitions' | 'seal-records'): QueueName {
  const queue = `${name}.${work}`;
  if (queue in QUEUES) return queue as QueueName;
  throw new Error(`QUEUES has no ${queue}`);
}

class ServiceRootModule {}

function rootModule({ module }: ServiceDefinition, contextModule: DynamicModule): DynamicModule {
  return { module: ServiceRootModule, imports: [contextModule, module] };
}

async function openPools({ database: tables }: ServiceDefinition, context: ServiceContext): Promise<ServicePools> {
  const { database } = context;
  if (tables === undefined || database === null) return { db: null, lists: null };
  const { migrations, entities, lists } = tables;
  const db = await Database.connect({ ...database, migrations, ...(entities && { entities }) });
  if (lists === undefined) return { db, lists: null };
  const forLists = { ...database, migrations: [], ...lists, applicationName: `${database.applicationName} lists` };
  try {
    return { db, lists: await Database.connect(forLists) };
  } catch (error) {
    await db.close();
    throw error;
  }
}

export async function closeApp(app: Pick<ServiceApp, 'close'>, closeConnections: () => Promise<void>): Promise<void> {
  try {
    await app.close();
  } finally {
    await closeConnections();
  }
}

async function closePools({ db, lists }: ServicePools): Promise<void> {
  try {
    await lists?.close();
  } finally {
    await db?.close();
  }
}

/** On failure an alarm, no outage: rows go to the default partition. */
async function makeMonths(
  { database }: ServiceDefinition,
  { clock, log }: ServiceContext,
  { db }: ServicePools,
): Promise<void> {
  for (const table of db === null ? [] : (database?.partitioned ?? [])) {
    try {
      await ensureMonthlyPartitions(db as Database, table, clock.now(), MONTHS_AHEAD);
    } catch (error) {
      log.error({ code: 'partition_missing', err: error, table }, 'monthly partitions could not be made');
    }
  }
}
