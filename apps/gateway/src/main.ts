import 'reflect-metadata';

import { checkoutApi, offrampApi, paymentsApi, validationApi } from '@vuka/contracts';
import { runService } from '@vuka/service-host';

import { readinessApart } from './check-readiness.js';
import { startGateway } from './start-gateway.js';
import { gatewayMigrations } from './store/migrations.js';

await runService({
  name: 'gateway',
  migrations: gatewayMigrations,
  start: (ground) =>
    startGateway({
      settings: ground.settings,
      database: ground.database,
      payments: ground.client(paymentsApi),
      validation: ground.client(validationApi),
      offramp: ground.client(offrampApi),
      checkout: ground.client(checkoutApi),
      currencies: ground.currencies,
      jobs: ground.jobs,
      clock: ground.clock,
      clockAgrees: () => ground.clockAgrees(),
      log: ground.log,
      secrets: { keyPepper: ground.keyPepper },
      readiness: () => readinessApart(() => ground.ownState(), () => ground.neighbours()),
      rateLimitStore: ground.rateLimitStore,
    }),
});
