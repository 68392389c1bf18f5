import { SERVICE_NAMES, SERVICES, type ServiceName, type ServiceNeeds } from '@vuka/contracts';

/** The stack itself, which makes the sandbox's partners by the same operations as everybody. */
export const SETUP = 'setup';
export const SETUP_CALLS: readonly ServiceName[] = ['gateway', 'payments', 'notifier'];

/** Whoever may read the stack's folder, at the services' admin parts: play money, and two names are needed for what takes two people. */
export const OPERATOR = 'operator';

export const needsOf = (service: ServiceName): ServiceNeeds => SERVICES[service];

/** Who may call a service. */
export function callersOf(service: ServiceName): string[] {
  const services = SERVICE_NAMES.filter((name) => needsOf(name).calls.includes(service));
  return SETUP_CALLS.includes(service) ? [...services, SETUP] : services;
}

/** Those with a schema and a login of their own. */
export const DATABASE_OWNERS = SERVICE_NAMES.filter((name) => needsOf(name).databaseConnections > 0);

export const isServiceName = (text: string): text is ServiceName => (SERVICE_NAMES as readonly string[]).includes(text);
