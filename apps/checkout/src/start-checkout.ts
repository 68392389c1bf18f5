import { NestFactory } from '@nestjs/core';
import { nestLogger, type Logger, type RunningService } from '@vuka/platform';

import { AppModule } from './app.module.js';

/** Alive and ready, with nothing to answer: orders are not taken yet. */
export async function startCheckout(deps: { readonly log: Logger }): Promise<RunningService> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: nestLogger(deps.log), abortOnError: false });
  return {
    name: 'checkout',
    start: async () => undefined,
    ready: async () => true,
    stop: () => app.close(),
  };
}
