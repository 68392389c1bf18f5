import 'reflect-metadata';

import { checkoutApi, notifierApi, offrampApi, paymentsApi, validationApi } from '@vuka/contracts';
import { WakeSignal } from '@vuka/runtime';
import { runService } from '@vuka/service-host';

import { readinessApart } from './health/index.js';
import { openGatewayDesk } from './admin/index.js';
import { startGateway } from './start-gateway.js';
import { gatewayMigrations } from './store/migrations.js';

await runService({
  name: 'gateway',
  migrations: gatewayMigrations,
  openDesk: openGatewayDesk,
  start: async (ground) => {
    const gateway = await startGateway({
      settings: ground.settings,
      database: ground.database,
      payments: ground.client(paymentsApi),
      validation: ground.client(validationApi),
      offramp: ground.client(offrampApi),
      checkout: ground.client(checkoutApi),
      notifier: ground.client(notifierApi),
      currencies: ground.currencies,
      wire: ground.wire,
      jobs: ground.jobs,
      clock: ground.clock,
      clockAgrees: () => ground.clockAgrees(),
      log: ground.log,
      secrets: { keyPepper: ground.keyPepper },
      readiness: () =>
        readinessApart(
          () => ground.ownState(),
          () => ground.neighbours(),
        ),
      rateLimitStore: ground.rateLimitStore,
    });
    // Written by people's hands alone, through a desk with a connection of its own: the relay finds it by looking.
    ground.wire.attachProducer({ service: gateway.name, db: gateway.db, signal: new WakeSignal() });
    return gateway;
  },
});
