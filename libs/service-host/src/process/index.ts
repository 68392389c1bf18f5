import type { ServiceDefinition } from '../service-context.js';
import type { ServiceSettings } from './service-settings.js';

// A service's own process loads what is here. The embedded profile has all services in one, and needs none of it.

/** As in run-service.ts. */
export async function runService(definition: ServiceDefinition): Promise<void> {
  await (await import('./run-service.js')).runService(definition);
}

/** As in service-settings.ts. */
export async function loadServiceSettings(
  environment: NodeJS.ProcessEnv,
  service: ServiceDefinition['name'],
): Promise<ServiceSettings> {
  return (await import('./service-settings.js')).loadServiceSettings(environment, service);
}
