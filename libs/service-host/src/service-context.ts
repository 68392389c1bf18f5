import type {
  Abstract,
  DynamicModule,
  INestApplication,
  INestApplicationContext,
  INestMicroservice,
  NestApplicationOptions,
  Type,
} from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import type { Settings } from '@vuka/config';
import type { CallContext, InternalApi, InternalClient, OpenAdmin, ServiceName } from '@vuka/contracts';
import type { Currencies, Problem, Result } from '@vuka/domain';
import type { Admins, RateLimitStore } from '@vuka/http';
import type { JobClock } from '@vuka/jobs';
import type { EventBus } from '@vuka/messaging';
import type { PayoutProvider, SandboxPayoutControl } from '@vuka/payouts';
import type { DatabaseConfig, MigrationClass } from '@vuka/persistence';
import type { Cipher, Clock, Logger, Metrics, MonotonicClock, RunningService } from '@vuka/runtime';

export interface Providers {
  readonly providers: readonly PayoutProvider[];
  /** By provider id; absent in live, where nobody steers a provider. */
  readonly sandboxControls?: ReadonlyMap<string, SandboxPayoutControl>;
}

/**
 * What is known of services: true, or why not. `ready` is a judgement, and need not be that all checks are true: where services
 * run apart, one that is away takes its own operations along and nothing else.
 */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, true | string>>;
}

/**
 * What one service stands on: the same for a process of its own and for the embedded profile. What SERVICES, QUEUES or TOPICS do
 * not give this service is null.
 */
export interface ServiceContext {
  readonly settings: Settings;
  /** With this deployment's limits and service fees. */
  readonly currencies: Currencies;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'> | null;
  readonly cipher: Cipher;
  /** At least 32 random bytes, kept outside the database. */
  readonly keyPepper: Buffer | null;
  readonly jobs: JobClock | null;
  readonly eventBus: EventBus | null;
  /** Where limits are counted that all processes share; null: each process counts in its own memory. */
  readonly rateLimitStore: RateLimitStore | null;
  readonly providers: Providers;
  /** Throws for a service that this one does not call. */
  client<A extends InternalApi>(api: A): InternalClient<A>;
  /** Whether this process's clock is that of its database, asked for now. Whatever deletes by time asks before. */
  clockAgrees(): Promise<boolean>;
  /** Whether whoever answers partners should be given traffic, as this profile judges it. */
  readiness(): Promise<Readiness>;
}

/** What a service's admin part stands on, wherever it is opened. Reading what SERVICES does not give this service throws. */
export interface AdminGround {
  readonly settings: Settings;
  /** With this deployment's limits and service fees. */
  readonly currencies: Currencies;
  /** The service's own login, with a small pool of its own: what people ask takes no connection from payouts. */
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly cipher: Cipher;
  readonly keyPepper: Buffer;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
  /** Ids of the providers that can be called there. */
  readonly providerIds: readonly string[];
  /** Those providers, to be asked for what they hold; absent where nothing runs that could ask them. */
  readonly providers?: readonly PayoutProvider[];
}

/** Handlers of the service's API, of whichever. */
export type AnyHandlers = Readonly<
  Record<string, (input: never, context: CallContext) => Promise<Result<unknown, Problem>>>
>;

/** A service as its process holds it. */
export interface HostedService extends RunningService {
  /** Of admin alone: the operations that it gathers, by the name of who answers them. */
  readonly adminOperations?: Admins;
  /** Where it has an API in SERVICES. */
  readonly handlers?: AnyHandlers;
  /** Of what it serves to the outside, once started. */
  readonly baseUrl?: string;
}

/**
 * The root of a service's container: injected by class like every provider. It says what the service answers and begins the service's
 * work. Work ends by Nest's hooks: loops in `beforeApplicationShutdown`, what must still be recorded in `onApplicationShutdown`.
 */
export interface ServiceRoot {
  /** Of admin alone: the operations that it gathers, by the name of who answers them. */
  readonly adminOperations?: Admins;
  /** Where it has an API in SERVICES. */
  readonly handlers?: AnyHandlers;
  /** Of what it serves to the outside, once started. */
  readonly baseUrl?: string;
  /** Called once, when events already come in. */
  start(): Promise<void>;
  /** For work that ends before events do: a container ends its events before it calls any hook. */
  stop?(): Promise<void>;
  /** Of the service alone, its database apart: true, or why it is not ready. */
  ready?(): true | string;
}

/** A service that openService() made. */
export interface OpenedService<R extends ServiceRoot = ServiceRoot> extends HostedService {
  readonly root: R;
  readonly handlers: NonNullable<R['handlers']>;
  /** A provider of its container, for tests and for whoever composes. */
  get<T>(token: Type<T> | Abstract<T> | symbol): T;
}

/** The tables of a service. */
export interface ServiceDatabase {
  readonly migrations: readonly MigrationClass[];
  readonly entities?: DatabaseConfig['entities'];
  /** Tables with a partition for each month, made two months ahead. */
  readonly partitioned: readonly string[];
  /** A second pool for partners' lists (LISTS_DATABASE), so that a long list takes no connection from payouts. */
  readonly lists?: Pick<DatabaseConfig, 'maxConnections' | 'statementTimeoutMs'>;
}

/** A container that is ready to take events in. `listen` is absent where nothing comes in by events. */
export interface ServiceApp extends Pick<INestApplicationContext, 'get' | 'close'> {
  listen?(): Promise<unknown>;
}

/** Makes containers, as Nest's own factory does. Tests replace providers here. */
export interface ContainerFactory {
  create(root: DynamicModule, adapter: AbstractHttpAdapter, options: NestApplicationOptions): Promise<INestApplication>;
  createMicroservice(root: DynamicModule, options: AsyncMicroserviceOptions): Promise<INestMicroservice>;
  createApplicationContext(root: DynamicModule, options: NestApplicationOptions): Promise<INestApplicationContext>;
}

/** Makes the container of a module, with a transport for events where `events` says so. */
export type CreateServiceApp = (
  root: DynamicModule,
  options: { readonly log: Logger; readonly events: boolean; readonly factory: ContainerFactory },
) => Promise<ServiceApp>;

/** A service as data: what its own process, the embedded profile and tests open. */
export interface ServiceDefinition<R extends ServiceRoot = ServiceRoot> {
  readonly name: ServiceName;
  /** None where it keeps nothing. */
  readonly database?: ServiceDatabase;
  /** Events handled at the same time; none where it listens to none. */
  readonly eventsAtOnce?: number;
  readonly module: Type<unknown>;
  readonly root: Type<R>;
  /** A container other than a plain one, such as the gateway's HTTP server. */
  readonly createApp?: CreateServiceApp;
  /** What people may see and do of it, opened when somebody asks; none where it keeps nothing. */
  openAdmin?(ground: AdminGround): Promise<OpenAdmin>;
}
