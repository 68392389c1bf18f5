import { NestFactory } from '@nestjs/core';
import type { InternalHandlers, offrampApi } from '@vuka/contracts';
import { fail, ok, type Problem } from '@vuka/domain';
import { nestLogger, type Logger, type RunningService } from '@vuka/platform';

import { AppModule } from './app.module.js';
import { ListNetworks } from './list-networks.js';

export interface OfframpService extends RunningService {
  readonly handlers: InternalHandlers<typeof offrampApi>;
}

const NOT_SERVED: Problem = { code: 'service_unavailable', message: 'No chain is served here' };

/** The networks on offer, the same for every partner while none is enabled. */
export async function startOfframp(deps: { readonly log: Logger }): Promise<OfframpService> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: nestLogger(deps.log), abortOnError: false });
  const networks = app.get(ListNetworks);
  return {
    name: 'offramp',
    handlers: {
      listNetworks: async () => ok({ networks: networks.all() }),
      listChains: async () => ok({ chains: [] }),
      exchangeRate: async () => fail(NOT_SERVED),
      quote: async () => fail(NOT_SERVED),
      checkQuote: async () => fail(NOT_SERVED),
    },
    start: async () => undefined,
    ready: async () => true,
    stop: () => app.close(),
  };
}
