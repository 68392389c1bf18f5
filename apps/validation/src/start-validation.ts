import { NestFactory } from '@nestjs/core';
import type { InternalHandlers, validationApi } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import { nestLogger, type Logger, type RunningService } from '@vuka/platform';

import { AppModule } from './app.module.js';
import { ListBanks } from './list-banks.js';

export interface ValidationService extends RunningService {
  readonly handlers: InternalHandlers<typeof validationApi>;
}

/** Bank directory; it keeps nothing, so there is nothing to connect to. */
export async function startValidation(deps: { readonly log: Logger }): Promise<ValidationService> {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: nestLogger(deps.log), abortOnError: false });
  const banks = app.get(ListBanks);
  return {
    name: 'validation',
    handlers: { listBanks: async ({ currency }) => ok({ banks: [...banks.of(currency)] }) },
    start: async () => undefined,
    ready: async () => true,
    stop: () => app.close(),
  };
}
