import type { OpenDesk, ServiceName } from '@vuka/contracts';
import type { RateLimitStore } from '@vuka/http';
import type { JobClock } from '@vuka/jobs';
import type { Wire } from '@vuka/messaging';
import type { DatabaseConfig, MigrationClass } from '@vuka/persistence';

import type { DeskGround, HostedService, ServiceContext } from './service-context.js';

/** As ServiceContext; reading what this service has not throws. Goes with the last service that wires itself. */
export interface ServiceGround extends Omit<
  ServiceContext,
  'database' | 'keyPepper' | 'jobs' | 'eventBus' | 'rateLimitStore'
> {
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly keyPepper: Buffer;
  readonly jobs: JobClock;
  readonly wire: Wire;
  readonly rateLimitStore: RateLimitStore;
}

/** A service that wires itself. */
export interface SelfWiredService {
  readonly name: ServiceName;
  readonly migrations?: readonly MigrationClass[];
  start(ground: ServiceGround): Promise<HostedService>;
  openDesk?(ground: DeskGround): Promise<OpenDesk>;
}

export function groundOf(context: ServiceContext): ServiceGround {
  const given = <T>(what: string, part: T | null): T => {
    if (part === null) throw new Error(`there is no ${what}: SERVICES, QUEUES and TOPICS say what a service stands on`);
    return part;
  };
  const { settings, currencies, clock, log, metrics, rails } = context;
  return {
    settings, currencies, clock, log, metrics, rails,
    get database() { return given('database', context.database); },
    get cipher() { return context.cipher; },
    get keyPepper() { return given('key pepper', context.keyPepper); },
    get jobs() { return given('queue', context.jobs); },
    get wire() { return given('topic', context.eventBus); },
    get rateLimitStore() { return given('limits', context.rateLimitStore); },
    client: (api) => context.client(api),
    clockAgrees: () => context.clockAgrees(),
    readiness: () => context.readiness(),
  }; // prettier-ignore
}
