import { setTimeout as sleep } from 'node:timers/promises';

import { SERVICES, type InternalApi, type InternalHandlers } from '@vuka/contracts';
import { Database, type DatabaseConfig } from '@vuka/persistence';
import { loadTerms } from '@vuka/config';
import { AdminHost, assertionDoor, type InternalServer, type PeopleDoor, startInternalServer } from '@vuka/http';
import { BootSteps, type Clock, type Health, healthOf, type Logger, Metrics, type MonotonicClock, type Program, systemClock } from '@vuka/runtime'; // prettier-ignore

import { closeConnections, createConnections, type Connections } from './connections.js';
import { DatabaseClock } from './database-clock.js';
import { contextOf, databaseOf, adminGroundOf } from './make-context.js';
import { openProviders, type ProvidersToOpen } from './open-providers.js';
import { openService } from '../open-service.js';
import type { HostedService, Providers, ServiceDefinition } from '../service-context.js';
import { ProvidersFileWatch } from './watch-providers-file.js';
import { isAsked, isConsumer, type ServiceSettings } from './service-settings.js';
import { waitFor } from './wait-for.js';

export interface ServiceProcessOptions {
  readonly definition: ServiceDefinition;
  readonly settings: ServiceSettings;
  readonly log: Logger;
  readonly onFatal: (error: Error) => void;
  /** This machine's by default. */
  readonly clock?: Clock & MonotonicClock;
  /** Milliseconds; default 30,000. */
  readonly clockLookMs?: number;
}

const JOBS_AGAIN_MS = 2_000;
/** Of services that neither call one nor ask what they can pay. */
const NO_PROVIDERS: Providers = { providers: [], coverage: [] };

/**
 * A start waits only for the database. Without Kafka the outbox holds events; without Redis the clock still wakes.
 * Neither delays a payout.
 */
export class ServiceProcess implements Program {
  private readonly steps: BootSteps;
  private readonly ending = new AbortController();
  private readonly metrics: Metrics;
  private readonly clock: Clock & MonotonicClock;
  private service: HostedService | undefined;
  private providersFile: ProvidersFileWatch | undefined;

  constructor(private readonly options: ServiceProcessOptions) {
    const { definition, log, clock = systemClock } = options;
    this.clock = clock;
    this.metrics = new Metrics(definition.name, { ofProcess: true });
    this.steps = new BootSteps((step, ms) => log.info({ step, ms }, 'started'));
  }

  /** Steps stop in the opposite order. */
  async start(): Promise<void> {
    const { steps } = this;
    const { definition, settings, log, onFatal } = this.options;
    tellSettings(log, settings);
    const currencies = await steps.run('limits and fees', () => loadTerms(settings));
    // Before the database: a wrong file is told without one.
    const providers = await this.openProviders();
    const database = databaseOf(settings, log);
    if (database !== null) await steps.run('PostgreSQL', () => this.reachDatabase(database));
    const databaseClock =
      database &&
      (await steps.run(
        'clock',
        () => this.holdClock(database),
        (held) => held.stop(),
      ));
    const connections = await steps.run(
      'connections',
      async () => createConnections({ settings, log, metrics: this.metrics, onFatal }),
      closeConnections,
    );
    const context = contextOf({
      settings,
      currencies,
      clock: this.clock,
      databaseClock,
      log,
      metrics: this.metrics,
      providers,
      connections,
      service: () => this.service,
    });
    const service = await steps.run(
      'service',
      () => openService(definition, context),
      (started) => stopService(started, connections),
    );
    this.service = service;
    // Events before work, both before calls are answered.
    const { eventBus } = connections;
    if (eventBus !== null) await steps.run('events', () => eventBus.start());
    await steps.run('work', () => service.start());
    void this.startJobs(connections);
    const admin = this.adminOf({ settings, currencies, clock: this.clock, log, providers });
    // Together: the server waits for running admin calls.
    const server = await steps.run(
      'internal server',
      () => this.serve(service, connections, databaseClock, admin),
      async (started) => void (await Promise.all([admin?.close(), started.stop()])),
    );
    announce(log, server, service);
  }

  async stop(limitMs: number): Promise<void> {
    this.ending.abort();
    await this.steps.stop(limitMs);
  }

  /** The providers file, where it has one. */
  readAgain(): boolean {
    void this.providersFile?.look();
    return this.providersFile !== undefined;
  }

  /** Migrates the schema only. */
  async migrate(): Promise<void> {
    const { settings, definition, log } = this.options;
    const database = databaseOf(settings, log);
    const migrations = definition.database?.migrations ?? [];
    if (database === null || migrations.length === 0)
      return log.info('nothing to migrate: this service has no database');
    await this.reachDatabase(database);
    const db = await Database.connect({ ...database, migrations });
    try {
      await db.migrate();
    } finally {
      await db.close();
    }
    log.info({ migrations: migrations.length }, 'migrated');
  }

  private async openProviders(): Promise<Providers> {
    const { settings, log } = this.options;
    const {
      providersFile: file,
      env,
      allowStablecoinFundsAt,
      acceptedRisks,
      testRefundSafeMs,
      secrets,
      service,
    } = settings;
    if (file === null) return NO_PROVIDERS;
    for (const provider of allowStablecoinFundsAt)
      log.warn({ provider }, 'it is used without its word that it accepts money that came as stablecoin');
    const wanted: ProvidersToOpen = {
      file,
      env,
      allowStablecoinFundsAt,
      allowHttp: acceptedRisks.includes('providers-over-http'),
      testRefundSafeMs,
      secrets: SERVICES[service].providers ? secrets.providers : null,
      clock: this.clock,
      isCalledBack: SERVICES[service].calledBack,
    };
    const opened = await this.steps.run(
      'providers',
      () => openProviders(wanted),
      (providers) => providers.close(),
    );
    const watch = new ProvidersFileWatch(opened, log, () => this.clock.monotonicMs());
    await this.steps.run(
      'providers file',
      async () => {
        watch.start();
        this.providersFile = watch;
      },
      () => watch.stop(),
    );
    return opened;
  }

  private reachDatabase(database: Omit<DatabaseConfig, 'migrations'>): Promise<void> {
    const { settings, log } = this.options;
    const attempt = async (): Promise<void> =>
      (await Database.connect({ ...database, migrations: [], maxConnections: 1 })).close();
    return waitFor({
      what: `PostgreSQL at ${database.host}:${database.port}`,
      attempt,
      patienceMs: settings.startPatienceMs,
      log,
      signal: this.ending.signal,
    });
  }

  private async holdClock(database: Omit<DatabaseConfig, 'migrations'>): Promise<DatabaseClock> {
    const { log, clockLookMs } = this.options;
    const held = new DatabaseClock({
      what: `PostgreSQL at ${database.host}:${database.port}`,
      connect: () => Database.connect({ ...database, migrations: [], maxConnections: 1 }),
      clock: this.clock,
      log,
      ...(clockLookMs !== undefined && { lookEveryMs: clockLookMs }),
    });
    await held.start();
    return held;
  }

  private async startJobs({ jobs }: Connections): Promise<void> {
    const { signal } = this.ending;
    while (jobs !== null && !signal.aborted) {
      const isUp = await jobs.start().then(
        () => true,
        () => false,
      );
      if (isUp) return;
      await sleep(JOBS_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private adminOf(parts: Parameters<typeof adminGroundOf>[0]): AdminHost | undefined {
    const { definition, log } = this.options;
    const open = definition.openAdmin?.bind(definition);
    return open && new AdminHost({ service: definition.name, open: () => open(adminGroundOf(parts)), log });
  }

  private serve(
    service: HostedService,
    { eventBus }: Connections,
    databaseClock: DatabaseClock | null,
    admin: AdminHost | undefined,
  ): Promise<InternalServer> {
    const { settings, log } = this.options;
    const { api }: { api: InternalApi | null } = SERVICES[settings.service];
    return startInternalServer({
      service: settings.service,
      ...settings.internal,
      ...(api !== null && { api, handlers: service.handlers as InternalHandlers<InternalApi> }),
      admins: { ...service.adminOperations, ...(admin && { [settings.service]: admin }) },
      accept: settings.secrets.accepts,
      people: this.doorOf(service),
      health: async () => withClock(await this.health(service, eventBus), databaseClock),
      metrics: this.metrics,
      log,
      clock: this.clock,
    });
  }

  /** Admin knows people; the others know admin. */
  private doorOf({ people }: HostedService): PeopleDoor {
    const { log, settings } = this.options;
    const { service, secrets } = settings;
    const { adminKeys, approvers } = secrets;
    const onBreakGlass = (used: object): void =>
      log.error({ code: 'break_glass_used', ...used }, 'a person acts without admin, by the sealed key');
    return people ?? assertionDoor(service, adminKeys, this.clock, { approvers, onBreakGlass });
  }

  /**
   * The event bus counts only for pure consumers. Others stay ready because the outbox holds events. Otherwise
   * payments would be refused while Kafka is away.
   */
  private async health(service: HostedService, eventBus: Connections['eventBus']): Promise<Health> {
    const own = await healthOf([service]);
    if (eventBus === null) return own;
    const events = eventBus.ready();
    const { service: name } = this.options.settings;
    const counts = isConsumer(name) && !isAsked(name);
    return {
      ready: own.ready && (events === true || !counts),
      services: { ...own.services, events: events === true ? 'ready' : events },
    };
  }
}

/** Accepted risks whatever LOG_LEVEL is. */
function tellSettings(log: Logger, { unknownVariables, risks }: ServiceSettings): void {
  for (const variable of unknownVariables) log.warn({ variable }, 'this is not a setting of Vuka: check the spelling');
  const always = log.child({}, { level: 'warn' });
  for (const { name, says } of risks)
    always.warn({ risk: name }, `this risk was accepted in VUKA_ACCEPT_RISK: ${says}`);
}

function withClock({ ready, services }: Health, databaseClock: DatabaseClock | null): Health {
  const state = databaseClock?.state() ?? true;
  return state === true ? { ready, services } : { ready: false, services: { ...services, clock: state } };
}

/** It uses the service's connections. */
async function stopService(service: HostedService, { eventBus }: Connections): Promise<void> {
  await eventBus?.stop();
  await service.stop();
}

/** Ignores LOG_LEVEL: programs that start this one read the port. */
function announce(log: Logger, { baseUrl }: InternalServer, service: HostedService): void {
  log
    .child({}, { level: 'info' })
    .info({ internal_url: baseUrl, ...(service.baseUrl !== undefined && { api_url: service.baseUrl }) }, 'ready');
}
