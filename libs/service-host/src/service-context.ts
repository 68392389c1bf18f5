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
import type { Coverage, Currencies, Problem, Result } from '@vuka/domain';
import type { Admins, KnownOperator, PeopleDoor, RateLimitStore } from '@vuka/http';
import type { JobClock } from '@vuka/jobs';
import type { EventBus, EventKeys } from '@vuka/messaging';
import type { CallbackTokens, PayoutProvider, ProviderValues, SandboxPayoutControl } from '@vuka/payouts';
import type { DatabaseConfig, MigrationClass } from '@vuka/persistence';
import type {
  Cipher,
  CipherKey,
  Clock,
  Logger,
  Metrics,
  MonotonicClock,
  RunningService,
  SigningKey,
  WebhookCipher,
} from '@vuka/runtime';

export interface Providers {
  /** In the order of the providers file. [] in services that call none. */
  readonly providers: readonly PayoutProvider[];
  /** What the configured routes carry. */
  readonly coverage: Coverage;
  /** By provider id; absent in live. */
  readonly sandboxControls?: ReadonlyMap<string, SandboxPayoutControl>;
  /** Tokens that the path of a callback may have. Absent: nothing is called back. */
  readonly callbackTokens?: CallbackTokens;
  /** What adapters keep. Absent where no provider is opened. */
  readonly values?: ProviderValues;
}

/** Versions of the secret that API keys are hashed with, newest first: it hashes new keys, all of them open. */
export type KeyPeppers = readonly CipherKey[];

/** `ready` does not need all checks: an outage affects only its own operations. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, true | string>>;
}

/** For its own process and the embedded profile. null: not given by SERVICES, QUEUES or TOPICS. */
export interface ServiceContext {
  readonly settings: Settings;
  /** With this deployment's limits and service fees. */
  readonly currencies: Currencies;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'> | null;
  readonly cipher: Cipher;
  readonly webhookCipher: WebhookCipher;
  /** Kept outside the database. */
  readonly keyPeppers: KeyPeppers | null;
  /** Admin only. */
  readonly assertionKey?: SigningKey;
  /** Admin only. */
  readonly operatorsInFile?: readonly KnownOperator[];
  readonly jobs: JobClock | null;
  readonly eventBus: EventBus | null;
  /** null: who wrote an event is not checked. `database` has what signs. */
  readonly eventKeys: EventKeys | null;
  /** null: each process counts in memory. */
  readonly rateLimitStore: RateLimitStore | null;
  readonly providers: Providers;
  /** Throws for a service that this one does not call. */
  client<A extends InternalApi>(api: A): InternalClient<A>;
  /** Ask before deleting by time. */
  clockAgrees(): Promise<boolean>;
  /** Whether the gateway should get traffic. */
  readiness(): Promise<Readiness>;
}

/** Reading what SERVICES does not give throws. */
export interface AdminGround {
  readonly settings: Settings;
  readonly currencies: Currencies;
  /** Its own small pool: operators take no connection from payouts. */
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly cipher: Cipher;
  readonly webhookCipher: WebhookCipher;
  readonly keyPeppers: KeyPeppers;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
  /** Of the providers that can be called. */
  readonly providerIds: readonly string[];
  /** Absent where no provider can be asked. */
  readonly providers?: readonly PayoutProvider[];
  readonly callbackTokens?: CallbackTokens;
  /** Absent where the providers file was not read. */
  readonly coverage?: Coverage;
}

export type AnyHandlers = Readonly<
  Record<string, (input: never, context: CallContext) => Promise<Result<unknown, Problem>>>
>;

export interface HostedService extends RunningService {
  /** Admin only: gathered operations by service name. */
  readonly adminOperations?: Admins;
  /** Admin only: who may ask. The others believe what admin asserts. */
  readonly people?: PeopleDoor | undefined;
  readonly handlers?: AnyHandlers;
  /** Once started, if it serves outside. */
  readonly baseUrl?: string;
}

/**
 * Injected like every provider. Loops end in `beforeApplicationShutdown`; last records are written in
 * `onApplicationShutdown`.
 */
export interface ServiceRoot {
  /** Admin only: gathered operations by service name. */
  readonly adminOperations?: Admins;
  /** Admin only: who may ask. The others believe what admin asserts. */
  readonly people?: PeopleDoor | undefined;
  readonly handlers?: AnyHandlers;
  /** Once started, if it serves outside. */
  readonly baseUrl?: string;
  /** Called once, when events already come in. */
  start(): Promise<void>;
  /** For work that must end before events do. */
  stop?(): Promise<void>;
  /** true, or why not. The database is checked apart. */
  ready?(): true | string;
}

export interface OpenedService<R extends ServiceRoot = ServiceRoot> extends HostedService {
  readonly root: R;
  readonly handlers: NonNullable<R['handlers']>;
  get<T>(token: Type<T> | Abstract<T> | symbol): T;
}

export interface ServiceDatabase {
  readonly migrations: readonly MigrationClass[];
  readonly entities?: DatabaseConfig['entities'];
  /** Partitioned by month, two months ahead. */
  readonly partitioned: readonly string[];
  /** LISTS_DATABASE: a second pool, so that long lists take no connection from payouts. */
  readonly lists?: Pick<DatabaseConfig, 'maxConnections' | 'statementTimeoutMs'>;
}

export interface ServiceApp extends Pick<INestApplicationContext, 'get' | 'close'> {
  listen?(): Promise<unknown>;
}

/** Like Nest's factory. Tests replace providers here. */
export interface ContainerFactory {
  create(root: DynamicModule, adapter: AbstractHttpAdapter, options: NestApplicationOptions): Promise<INestApplication>;
  createMicroservice(root: DynamicModule, options: AsyncMicroserviceOptions): Promise<INestMicroservice>;
  createApplicationContext(root: DynamicModule, options: NestApplicationOptions): Promise<INestApplicationContext>;
}

/** `events`: the transport, if any. */
export type CreateServiceApp = (
  root: DynamicModule,
  options: { readonly log: Logger; readonly events: boolean; readonly factory: ContainerFactory },
) => Promise<ServiceApp>;

export interface ServiceDefinition<R extends ServiceRoot = ServiceRoot> {
  readonly name: ServiceName;
  readonly database?: ServiceDatabase;
  /** Events handled at once. */
  readonly eventsAtOnce?: number;
  readonly module: Type<unknown>;
  readonly root: Type<R>;
  readonly createApp?: CreateServiceApp;
  /** Absent where nothing is stored. */
  openAdmin?(ground: AdminGround): Promise<OpenAdmin>;
}
