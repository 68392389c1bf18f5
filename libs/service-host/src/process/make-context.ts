import type { InternalApi } from '@vuka/contracts';
import type { Currencies } from '@vuka/domain';
import { eventMacsBy } from '@vuka/messaging';
import type { DatabaseConfig } from '@vuka/persistence';
import { Cipher, type Clock, type Logger, type Metrics, type MonotonicClock, WebhookCipher } from '@vuka/runtime';

import type { Connections } from './connections.js';
import type { DatabaseClock } from './database-clock.js';
import type { AdminGround, HostedService, Providers, ServiceContext } from '../service-context.js';
import { readinessApart } from './readiness.js';
import type { ServiceSettings } from './service-settings.js';

export interface ContextParts {
  readonly settings: ServiceSettings;
  readonly currencies: Currencies;
  readonly clock: Clock & MonotonicClock;
  /** null without a database. */
  readonly databaseClock: Pick<DatabaseClock, 'state' | 'agrees'> | null;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly providers: Providers;
  readonly connections: Connections;
  readonly service: () => HostedService | undefined;
}

export function contextOf(parts: ContextParts): ServiceContext {
  const { settings, currencies, clock, databaseClock, log, metrics, providers, connections } = parts;
  const { jobs, eventBus, rateLimitStore, services } = connections;
  return {
    settings,
    currencies,
    clock,
    log,
    metrics,
    providers,
    jobs,
    eventBus: eventBus,
    eventKeys: settings.secrets.eventKeys,
    rateLimitStore,
    database: databaseOf(settings, log),
    keyPeppers: settings.service === 'gateway' ? settings.secrets.keyPeppers : null,
    ...(settings.secrets.assertionKey && {
      assertionKey: settings.secrets.assertionKey,
      operatorsInFile: settings.secrets.operators,
    }),
    get cipher() {
      return new Cipher(settings.secrets.cipherKeys, settings.secrets.indexKeys);
    },
    get webhookCipher() {
      return new WebhookCipher(settings.secrets.webhookKeys);
    },
    client: <A extends InternalApi>(api: A) => {
      if (services === null) throw new Error(`${settings.service} calls no service: SERVICES says who calls whom`);
      return services.client(api);
    },
    clockAgrees: async () => (await databaseClock?.agrees()) ?? true,
    readiness: () =>
      readinessApart(
        settings.service,
        async () => {
          const clockState = databaseClock?.state() ?? true;
          return clockState === true ? ((await parts.service()?.ready()) ?? 'starting') : clockState;
        },
        async () => services?.checks() ?? {},
      ),
  };
}

/** Few, and none that payouts use. */
const ADMIN_CONNECTIONS = 3;
/** As long as a call may take. */
const ADMIN_STATEMENT_TIMEOUT_MS = 60_000;

export function adminGroundOf({
  settings,
  currencies,
  clock,
  log,
  providers,
}: Pick<ContextParts, 'settings' | 'currencies' | 'clock' | 'log' | 'providers'>): AdminGround {
  const { service, database, secrets } = settings;
  return {
    settings, currencies, clock, log,
    providerIds: providers.providers.map(({ id }) => id),
    providers: providers.providers,
    ...(providers.callbackTokens && { callbackTokens: providers.callbackTokens }),
    coverage: providers.coverage,
    get database() {
      if (database === null) throw new Error(`${service} has no database`);
      return { ...database, schema: service, applicationName: `vuka admin ${service}`, maxConnections: ADMIN_CONNECTIONS, statementTimeoutMs: ADMIN_STATEMENT_TIMEOUT_MS, eventMacs: eventMacsBy(secrets.eventKeys), log };
    },
    get cipher() { return new Cipher(secrets.cipherKeys, secrets.indexKeys); },
    get webhookCipher() { return new WebhookCipher(secrets.webhookKeys); },
    get keyPeppers() {
      if (secrets.keyPeppers.length === 0) throw new Error(`${service} has no key pepper`);
      return secrets.keyPeppers;
    },
  }; // prettier-ignore
}

/** Without migrations and entities. null if nothing is stored. */
export function databaseOf(
  { service, database, secrets }: ServiceSettings,
  log: Logger,
): Omit<DatabaseConfig, 'migrations' | 'entities'> | null {
  return (
    database && {
      ...database,
      schema: service,
      applicationName: `vuka ${service}`,
      lookupsOnly: true,
      eventMacs: eventMacsBy(secrets.eventKeys),
      log,
    }
  );
}
