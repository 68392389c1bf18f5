import 'reflect-metadata';

import { runService } from '@vuka/service-host';

import { startValidation } from './start-validation.js';

await runService({
  name: 'validation',
  start: (ground) =>
    startValidation({
      providers: ground.rails.providers,
      cipher: ground.cipher,
      clock: ground.clock,
      log: ground.log,
      perDestination: ground.settings.rateLimits.destination,
      rateLimitStore: ground.rateLimitStore,
    }),
});
