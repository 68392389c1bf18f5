import { checkout as checkoutDefinition } from '@vuka/checkout';
import type { Settings } from '@vuka/config';
import {
  checkoutApi,
  gatewayApi,
  notifierApi,
  offrampApi,
  paymentsApi,
  validationApi,
  type ServiceName,
} from '@vuka/contracts';
import type { Secrets } from '@vuka/data-folder';
import type { Currencies } from '@vuka/domain';
import { gateway as gatewayDefinition, type GatewayRoot } from '@vuka/gateway';
import { InProcessServices } from '@vuka/http';
import { JobClock } from '@vuka/jobs';
import { EmbeddedEventBus, SeededDisturbance } from '@vuka/messaging';
import { notifier as notifierDefinition } from '@vuka/notifier';
import { offramp as offrampDefinition } from '@vuka/offramp';
import { payments as paymentsDefinition } from '@vuka/payments';
import { ensureServiceLogins, type DatabaseConfig, type EmbeddedPostgres } from '@vuka/persistence';
import { createLogger, healthOf, type Logger, Metrics, type RunningService, systemClock } from '@vuka/runtime';
import {
  openService,
  type OpenedService,
  type Providers,
  type Readiness,
  type ServiceContext,
} from '@vuka/service-host';
import { validation as validationDefinition } from '@vuka/validation';

const DATABASE = 'vuka';

/** Schema and login have the service's name. */
const CONNECTIONS = { gateway: 4, payments: 6, offramp: 4, checkout: 3, notifier: 3 } as const;
/** Of people; opened with the admin API. */
const ADMIN = 'admin';
/** BullMQ's own schema, separate from other data. */
const JOBS = 'jobs';

export interface Ground {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly server: EmbeddedPostgres;
  readonly currencies: Currencies;
  readonly providers: Providers;
}

export interface Composition {
  readonly services: InProcessServices;
  readonly eventBus: EmbeddedEventBus;
  readonly jobs: JobClock;
  readonly gateway: OpenedService<GatewayRoot>;
  readonly backends: readonly RunningService[];
}

export function loggerOf(settings: Settings, service: string): Logger {
  return createLogger(service, { level: settings.logLevel });
}

export function ensureLogins({ server, secrets }: Ground): Promise<void> {
  const keepers = [...Object.keys(CONNECTIONS), ADMIN];
  const services = keepers.map((name) => ({ name, password: secrets.databasePassword(name) }));
  const jobs = { name: JOBS, password: secrets.databasePassword(JOBS), createsSchemas: true };
  return ensureServiceLogins(server, DATABASE, [...services, jobs]);
}

/** Connects, migrates and links the six services. If one fails, the others are stopped before this throws. */
export async function composeServices(ground: Ground): Promise<Composition> {
  const { settings } = ground;
  const logOf = (service: string): Logger => loggerOf(settings, service);
  const services = new InProcessServices(logOf('internal'));
  const eventBus = createEventBus(settings, logOf('event_bus'));
  const jobs = new JobClock({ connection: jobConnection(ground), log: logOf(JOBS) });
  const all: RunningService[] = [];
  const contextOf = (service: ServiceName): ServiceContext =>
    embeddedContext(ground, service, { services, eventBus, jobs, readiness: () => readinessOf(all) });

  const [payments, notifier, validation, offramp, checkout, gateway] = await allOrNone([
    openService(paymentsDefinition, contextOf('payments')),
    openService(notifierDefinition, contextOf('notifier')),
    openService(validationDefinition, contextOf('validation')),
    openService(offrampDefinition, contextOf('offramp')),
    openService(checkoutDefinition, contextOf('checkout')),
    openService(gatewayDefinition, contextOf('gateway')),
  ] as const);

  services.register(paymentsApi, payments.handlers);
  services.register(notifierApi, notifier.handlers);
  services.register(validationApi, validation.handlers);
  services.register(offrampApi, offramp.handlers);
  services.register(checkoutApi, checkout.handlers);
  services.register(gatewayApi, gateway.handlers);
  const backends = [payments, notifier, validation, offramp, checkout];
  all.push(gateway, ...backends);
  return { services, eventBus, jobs, gateway, backends };
}

interface Shared {
  readonly services: InProcessServices;
  readonly eventBus: EmbeddedEventBus;
  readonly jobs: JobClock;
  readonly readiness: () => Promise<Readiness>;
}

function embeddedContext(
  ground: Ground,
  service: ServiceName,
  { services, eventBus, jobs, readiness }: Shared,
): ServiceContext {
  const { settings, secrets, currencies, providers } = ground;
  const log = loggerOf(settings, service);
  const keepsTables = service in CONNECTIONS;
  return {
    settings,
    currencies,
    clock: systemClock,
    log,
    metrics: new Metrics(service),
    database: keepsTables ? databaseOf(ground, service as keyof typeof CONNECTIONS) : null,
    get cipher() {
      return secrets.cipherOf(service);
    },
    webhookCipher: secrets.webhookCipher,
    keyPeppers: service === 'gateway' ? secrets.keyPeppers : null,
    jobs,
    eventBus: eventBus,
    // One process and one server: whoever reaches its events reaches its books.
    eventKeys: null,
    rateLimitStore: null,
    providers,
    client: (api) => services.client(api),
    // One machine has one clock.
    clockAgrees: async () => true,
    readiness,
  };
}

/** VUKA_TEST_WIRE_SEED adds faults the event bus contract allows (late, repeated deliveries). */
function createEventBus({ testEventBusSeed }: Settings, log: Logger): EmbeddedEventBus {
  if (testEventBusSeed === undefined) return new EmbeddedEventBus({ log, clock: systemClock });
  log.warn({ seed: testEventBusSeed }, 'this is a test event bus: it delays events and delivers them more than once');
  return new EmbeddedEventBus({ log, clock: systemClock, disturbance: new SeededDisturbance(testEventBusSeed) });
}

function databaseOf(
  { server, secrets, settings }: Ground,
  service: keyof typeof CONNECTIONS,
): Omit<DatabaseConfig, 'migrations' | 'entities'> {
  return {
    host: server.host,
    port: server.port,
    user: `vuka_${service}`,
    password: secrets.databasePassword(service),
    database: DATABASE,
    schema: service,
    maxConnections: CONNECTIONS[service],
    applicationName: `vuka ${service}`,
    lookupsOnly: true,
    log: loggerOf(settings, service),
  };
}

function jobConnection({ server, secrets }: Ground): { kind: 'postgres'; connectionString: string; schema: string } {
  const url = new URL(`postgres://${server.host}:${server.port}/${DATABASE}`);
  url.username = `vuka_${JOBS}`;
  url.password = secrets.databasePassword(JOBS);
  return { kind: 'postgres', connectionString: url.href, schema: JOBS };
}

async function readinessOf(services: readonly RunningService[]): Promise<Readiness> {
  const health = await healthOf(services);
  const checks = Object.entries(health.services).map(
    ([name, state]) => [name, state === 'ready' ? true : state] as const,
  );
  return { ready: health.ready, checks: Object.fromEntries(checks) };
}

/** If one fails, waits for the others, stops those that came up, and throws the first failure. */
async function allOrNone<T extends readonly Promise<RunningService>[]>(
  starting: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const outcomes = await Promise.allSettled(starting);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure === undefined) return Promise.all(starting);
  const up = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  await Promise.allSettled(up.map((service) => service.stop()));
  throw failure.reason;
}
