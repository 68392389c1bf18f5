import type { Settings } from '@vuka/config';
import type { CallContext, InternalApi, InternalClient, OpenDesk, ServiceName } from '@vuka/contracts';
import type { Currencies, Problem, Result } from '@vuka/domain';
import type { RateLimitStore } from '@vuka/http';
import type { JobClock } from '@vuka/jobs';
import type { Wire } from '@vuka/messaging';
import type { PayoutProvider, SandboxPayoutControl } from '@vuka/payouts';
import type { DatabaseConfig, MigrationClass } from '@vuka/persistence';
import type { Cipher, Clock, Logger, Metrics, MonotonicClock, RunningService } from '@vuka/runtime';

export interface Rails {
  readonly providers: readonly PayoutProvider[];
  /** By provider id; absent in live, where nobody steers a rail. */
  readonly sandboxControls?: ReadonlyMap<string, SandboxPayoutControl>;
}

/** What a service that runs alone stands on. Reading what SERVICES, QUEUES or TOPICS do not give this service throws. */
export interface ServiceGround {
  readonly settings: Settings;
  /** With this deployment's limits and service fees. */
  readonly currencies: Currencies;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly cipher: Cipher;
  readonly keyPepper: Buffer;
  readonly jobs: JobClock;
  readonly wire: Wire;
  readonly rateLimitStore: RateLimitStore;
  readonly rails: Rails;
  client<A extends InternalApi>(api: A): InternalClient<A>;
  /** Whether this process's clock is that of its database, asked for now; what deletes by time asks before. */
  clockAgrees(): Promise<boolean>;
  /** Of this service itself: true, or why it is not ready. */
  ownState(): Promise<true | string>;
  /** Of those it calls, asked for it: true, or why not. */
  neighbours(): Promise<Readonly<Record<string, true | string>>>;
}

/** What a service's desk stands on, wherever it is opened. Reading what SERVICES does not give this service throws. */
export interface DeskGround {
  readonly settings: Settings;
  /** With this deployment's limits and service fees. */
  readonly currencies: Currencies;
  /** The service's own login, with a small pool of its own: what people ask takes no connection from payouts. */
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly cipher: Cipher;
  readonly keyPepper: Buffer;
  readonly clock: Clock & MonotonicClock;
  readonly log: Logger;
  /** Ids of the rails that can be called there. */
  readonly rails: readonly string[];
  /** Those rails, to be asked for what they hold; absent where nothing runs that could ask them. */
  readonly providers?: readonly PayoutProvider[];
}

/** Handlers of the service's API, of whichever. */
export type AnyHandlers = Readonly<
  Record<string, (input: never, context: CallContext) => Promise<Result<unknown, Problem>>>
>;

/** A service as its process holds it. */
export interface HostedService extends RunningService {
  /** Where it has an API in SERVICES. */
  readonly handlers?: AnyHandlers;
  /** Of what it serves to the outside, once started. */
  readonly baseUrl?: string;
}

/** What an app's main.ts says of its service. */
export interface ServiceDefinition {
  readonly name: ServiceName;
  /** All of its schema's; none where it keeps nothing. */
  readonly migrations?: readonly MigrationClass[];
  /** Connects, migrates and wires; what it answers begins to work with its start(). */
  start(ground: ServiceGround): Promise<HostedService>;
  /** What people may see and do of it, opened when somebody asks; none where it keeps nothing. */
  openDesk?(ground: DeskGround): Promise<OpenDesk>;
}
