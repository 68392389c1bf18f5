import type { CheckoutAdminMethods } from '@vuka/checkout';
import type { OpenAdmin } from '@vuka/contracts';
import { type AdminServiceName, eventKeysOf, type Secrets } from '@vuka/data-folder';
import { fail } from '@vuka/domain';
import type { GatewayAdminMethods } from '@vuka/gateway';
import { type AdminOperations, AdminHost } from '@vuka/http';
import { eventMacsBy } from '@vuka/messaging';
import type { NotifierAdminMethods } from '@vuka/notifier';
import type { OfframpAdminMethods } from '@vuka/offramp';
import type { PaymentsAdminMethods } from '@vuka/payments';
import type { DatabaseConfig } from '@vuka/persistence';
import { BootError, type Logger } from '@vuka/runtime';
import type { AdminGround } from '@vuka/service-host';

import { forEachService, type ServiceOperations } from '../service-calls.js';

/** Few, and none of the services' own. */
const CONNECTIONS = 3;

interface Methods {
  readonly payments: PaymentsAdminMethods;
  readonly notifier: NotifierAdminMethods;
  readonly offramp: OfframpAdminMethods;
  readonly checkout: CheckoutAdminMethods;
  readonly gateway: GatewayAdminMethods;
}

/** Imported on demand: all services take a second. */
const OPEN: { readonly [K in AdminServiceName]: (ground: AdminGround) => Promise<OpenAdmin<Methods[K]>> } = {
  payments: async (ground) => (await import('@vuka/payments')).openPaymentsAdmin(ground),
  notifier: async (ground) => (await import('@vuka/notifier')).openNotifierAdmin(ground),
  offramp: async (ground) => (await import('@vuka/offramp')).openOfframpAdmin(ground),
  checkout: async (ground) => (await import('@vuka/checkout')).openCheckoutAdmin(ground),
  gateway: async (ground) => (await import('@vuka/gateway')).openGatewayAdmin(ground),
};

export interface LocalOptions {
  readonly groundOf: (service: AdminServiceName) => AdminGround;
  readonly logOf: (service: AdminServiceName) => Logger;
  /** Runs before the first call. Throws BootError. */
  readonly check?: (opened: OpenAdmin) => Promise<void>;
}

/** Opens a service's operations at the first call. */
export class LocalOperations {
  readonly services: ServiceOperations;
  private readonly hosts: readonly AdminHost[];

  constructor({ groundOf, logOf, check }: LocalOptions) {
    const hosts = forEachService((service) => {
      const open = async (): Promise<OpenAdmin> => checked(await OPEN[service](groundOf(service)), check);
      return new AdminHost({ service, open, log: logOf(service) });
    });
    this.hosts = Object.values(hosts);
    this.services = forEachService((service) => tellingTrouble(hosts[service]));
  }

  async close(): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.close()));
  }
}

/** The service's own login and schema. */
export function adminDatabase(
  server: { readonly host: string; readonly port: number; readonly name: string },
  service: AdminServiceName | 'admin',
  secrets: Secrets,
  log: Logger,
  statementTimeoutMs: number,
): Omit<DatabaseConfig, 'migrations' | 'entities'> {
  return {
    host: server.host,
    port: server.port,
    user: `vuka_${service}`,
    password: secrets.databasePassword(service),
    database: server.name,
    schema: service,
    maxConnections: CONNECTIONS,
    applicationName: `vuka admin ${service}`,
    statementTimeoutMs,
    // The folder of a stack has readers that check who wrote an event.
    eventMacs: eventMacsBy(eventKeysOf(service, secrets)),
    log,
  };
}

async function checked(opened: OpenAdmin, check: LocalOptions['check']): Promise<OpenAdmin> {
  try {
    await check?.(opened);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function tellingTrouble(host: AdminHost): AdminOperations {
  return {
    call: async (name, args, actor, isWanted) => {
      try {
        return await host.call(name, args, actor, isWanted);
      } catch (error) {
        if (!(error instanceof BootError)) throw error;
        return fail({ code: 'service_unavailable', message: `${error.message} ${error.advice}` });
      }
    },
  };
}
