import { NestFactory } from '@nestjs/core';
import type { InternalHandlers, offrampApi } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import { nestLogger, type Logger, type RunningService } from '@vuka/platform';

import { AppModule } from './app.module.js';
import { ListNetworks } from './list-networks.js';

export interface OfframpService extends RunningService {
  readonly handlers: InternalHandlers<typeof offrampApi>;
}

/** The networks on offer, the same for every partner while none is enabled. */
export async function startOfframp(deps: { readonly log: Logger }): Promise<OfframpService> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: nestLogger(deps.log), abortOnError: false });
  const networks = app.get(ListNetworks);
  return {
    name: 'offramp',
    handlers: { listNetworks: async () => ok({ networks: networks.all() }) },
    start: async () => undefined,
    ready: async () => true,
    stop: () => app.close(),
  };
}
