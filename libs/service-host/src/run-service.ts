import type { ServiceDefinition } from './service-ground.js';

/** The whole life of a process that is one service: what each apps/<service>/src/main.ts calls. */
export async function runService(_definition: ServiceDefinition): Promise<void> {
  throw new Error('not yet');
}
