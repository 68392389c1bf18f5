import { SERVICE_NAMES, SERVICES, type ServiceName, type ServiceNeeds } from '@vuka/contracts';

import type { Secrets } from '../secrets.js';

/** Creates sandbox partners through the normal operations. */
export const SETUP = 'setup';
export const SETUP_CALLS: readonly ServiceName[] = ['gateway', 'payments', 'notifier'];

/** Can read the stack's folder: play money, and dual approval needs a second name. */
export const OPERATOR = 'operator';

export const needsOf = (service: ServiceName): ServiceNeeds => SERVICES[service];

export function callersOf(service: ServiceName): string[] {
  const services = SERVICE_NAMES.filter((name) => needsOf(name).calls.includes(service));
  return SETUP_CALLS.includes(service) ? [...services, SETUP] : services;
}

/** What the setup shows to each service, by its name. */
export function setupCredentials(secrets: Secrets): Record<string, string> {
  return credentialsOf(SETUP, SETUP_CALLS, secrets);
}

export function credentialsOf(caller: string, calls: readonly string[], secrets: Secrets): Record<string, string> {
  return Object.fromEntries(calls.map((callee) => [callee, secrets.serviceCredential(caller, callee)]));
}

export const DATABASE_OWNERS = SERVICE_NAMES.filter((name) => needsOf(name).databaseConnections > 0);

export const isServiceName = (text: string): text is ServiceName => (SERVICE_NAMES as readonly string[]).includes(text);
