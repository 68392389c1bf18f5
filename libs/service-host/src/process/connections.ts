import { SERVICES, type ServiceNeeds } from '@vuka/contracts';
import { HttpServices } from '@vuka/http';
import type { RedisBuckets } from '@vuka/http/redis';
import { JobClock } from '@vuka/jobs';
import type { KafkaWire } from '@vuka/messaging/kafka';
import { type Logger, type Metrics, systemClock } from '@vuka/runtime';

import { usesQueues, type ServiceSettings } from './service-settings.js';

/** The ways out of a service, each only where it needs it. Nothing is reached before it is started or used. */
export interface Connections {
  readonly wire: KafkaWire | null;
  readonly jobs: JobClock | null;
  readonly services: HttpServices | null;
  readonly rateLimitStore: RedisBuckets | null;
}

export interface ConnectionOptions {
  readonly settings: ServiceSettings;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The wire cannot go on: the process is to end. */
  readonly onFatal: (error: Error) => void;
}

/** Loads what a service needs and nothing else: the drivers of all of them take a second of processor in each process. */
export async function createConnections(options: ConnectionOptions): Promise<Connections> {
  const { settings, log, metrics } = options;
  const { service, redis, urls, secrets } = settings;
  const { calls, gathers, limits }: ServiceNeeds = SERVICES[service];
  const clock = systemClock;
  const jobs =
    redis !== null && usesQueues(service)
      ? new JobClock({ connection: { kind: 'redis', connection: redis }, log, clock, queue: `${service}.wakes` })
      : null;
  const [wire, rateLimitStore] = await Promise.all([
    createWire(options),
    redis !== null && limits
      ? import('@vuka/http/redis').then((lib) => new lib.RedisBuckets({ connection: redis, log }))
      : null,
  ]);
  if (jobs !== null)
    tellShared(
      metrics,
      'vuka_jobs_shared',
      'Whether wakes come through Redis, 1, or by the clock of each process, 0',
      jobs,
    );
  if (rateLimitStore !== null)
    tellShared(
      metrics,
      'vuka_limits_shared',
      'Whether limits are counted in Redis, 1, or by each process alone, 0',
      rateLimitStore,
    );
  const services =
    calls.length + gathers.length > 0
      ? new HttpServices({ urls, credential: secrets.presents ?? '', log, clock, metrics })
      : null;
  return { wire, jobs, services, rateLimitStore };
}

/** Nothing fails and nobody is unready by a Redis that is away: this is how it shows. */
function tellShared(metrics: Metrics, name: string, help: string, shared: { readonly isShared: boolean }): void {
  metrics.gauge(name, help, [], { collect: (gauge) => gauge.set({}, shared.isShared ? 1 : 0) });
}

/** With VUKA_TEST_WIRE_SEED, a wire that does to deliveries whatever its contract allows. */
async function createWire({ settings, log, metrics, onFatal }: ConnectionOptions): Promise<KafkaWire | null> {
  const { kafka, service, testWireSeed } = settings;
  if (kafka === null) return null;
  const { SeededDisturbance } = await import('@vuka/messaging');
  const { KafkaWire } = await import('@vuka/messaging/kafka');
  if (testWireSeed !== undefined)
    log.warn({ seed: testWireSeed }, 'this is a test wire: events are delayed and handed over more than once');
  return new KafkaWire({
    connection: kafka,
    clientId: `vuka-${service}`,
    log,
    clock: systemClock,
    metrics,
    onFatal,
    ...(testWireSeed !== undefined && { disturbance: new SeededDisturbance(testWireSeed) }),
  });
}

/** Bounded by each one's own bounds. The wire is stopped before, while the databases it reads are still there. */
export async function closeConnections({ jobs, services, rateLimitStore }: Connections): Promise<void> {
  await Promise.all([jobs?.stop(), services?.close(), rateLimitStore?.close()]);
}
