import { NestFactory } from '@nestjs/core';
import type { InternalHandlers, validationApi } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import { nestLogger, type RunningService } from '@vuka/runtime';

import { AppModule, type ValidationOptions } from './app.module.js';
import { ListBanks } from './list-banks.js';
import { ResolveName } from './resolve-name.js';

export interface ValidationService extends RunningService {
  readonly handlers: InternalHandlers<typeof validationApi>;
}

/** Bank directory and names; what it keeps it keeps in memory, so there is nothing to connect to. The rails are their owner's to close. */
export async function startValidation(options: ValidationOptions): Promise<ValidationService> {
  const app = await NestFactory.createApplicationContext(AppModule.of(options), {
    logger: nestLogger(options.log),
    abortOnError: false,
  });
  const banks = app.get(ListBanks);
  const resolveName = app.get(ResolveName);
  return {
    name: 'validation',
    handlers: {
      listBanks: async ({ currency }) => ok({ banks: [...banks.of(currency)] }),
      resolveName: (input, context) => resolveName.run(input, context),
    },
    start: async () => undefined,
    ready: async () => true,
    stop: () => app.close(),
  };
}
