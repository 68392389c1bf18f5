import { SERVICES, type ServiceNeeds } from '@vuka/contracts';
import { HttpServices } from '@vuka/http';
import type { RedisBuckets } from '@vuka/http/redis';
import { JobClock } from '@vuka/jobs';
import type { KafkaEventBus } from '@vuka/messaging/kafka';
import { type Logger, type Metrics, systemClock } from '@vuka/runtime';

import { usesQueues, type ServiceSettings } from './service-settings.js';

/** Made only as needed; connects on start or use. */
export interface Connections {
  readonly eventBus: KafkaEventBus | null;
  readonly jobs: JobClock | null;
  readonly services: HttpServices | null;
  readonly rateLimitStore: RedisBuckets | null;
}

export interface ConnectionOptions {
  readonly settings: ServiceSettings;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The process must end. */
  readonly onFatal: (error: Error) => void;
}

/** All drivers take a second of CPU per process, so only those needed are imported. */
export async function createConnections(options: ConnectionOptions): Promise<Connections> {
  const { settings, log, metrics } = options;
  const { service, redis, urls, secrets, internal } = settings;
  const { calls, gathers, limits }: ServiceNeeds = SERVICES[service];
  const clock = systemClock;
  const jobs =
    redis !== null && usesQueues(service)
      ? new JobClock({ connection: { kind: 'redis', connection: redis }, log, clock, queue: `${service}.wakes` })
      : null;
  const [eventBus, rateLimitStore] = await Promise.all([
    createEventBus(options),
    redis !== null && limits
      ? import('@vuka/http/redis').then((lib) => new lib.RedisBuckets({ connection: redis, log }))
      : null,
  ]);
  if (jobs !== null)
    tellShared(metrics, 'vuka_jobs_shared', '1 if wakes come through Redis, 0 if by the clock of each process', jobs);
  if (rateLimitStore !== null)
    tellShared(
      metrics,
      'vuka_limits_shared',
      '1 if limits are counted in Redis, 0 if by each process alone',
      rateLimitStore,
    );
  const services =
    calls.length + gathers.length > 0
      ? new HttpServices({ urls, credentials: secrets.presents, ca: internal.ca, log, clock, metrics })
      : null;
  return { eventBus, jobs, services, rateLimitStore };
}

/** Nothing else shows that Redis is missing. */
function tellShared(metrics: Metrics, name: string, help: string, shared: { readonly isShared: boolean }): void {
  metrics.gauge(name, help, [], { collect: (gauge) => gauge.set({}, shared.isShared ? 1 : 0) });
}

/** For tests: VUKA_TEST_WIRE_SEED delays and repeats deliveries. */
async function createEventBus({ settings, log, metrics, onFatal }: ConnectionOptions): Promise<KafkaEventBus | null> {
  const { kafka, service, testEventBusSeed } = settings;
  if (kafka === null) return null;
  const { SeededDisturbance } = await import('@vuka/messaging');
  const { KafkaEventBus } = await import('@vuka/messaging/kafka');
  if (testEventBusSeed !== undefined)
    log.warn({ seed: testEventBusSeed }, 'this is a test event bus: it delays events and delivers them more than once');
  return new KafkaEventBus({
    connection: kafka,
    clientId: `vuka-${service}`,
    log,
    clock: systemClock,
    metrics,
    onFatal,
    ...(testEventBusSeed !== undefined && { disturbance: new SeededDisturbance(testEventBusSeed) }),
  });
}

/** Bounded. Stop the event bus before: it reads these databases. */
export async function closeConnections({ jobs, services, rateLimitStore }: Connections): Promise<void> {
  await Promise.all([jobs?.stop(), services?.close(), rateLimitStore?.close()]);
}
