import type { ServiceDefinition } from '@vuka/service-host';

import { openPaymentsAdmin } from './admin/index.js';
import { AppModule } from './app.module.js';
import { paymentsMigrations } from './commit/index.js';
import { EVENTS_AT_ONCE } from './deposits/index.js';
import { LIST_TIMEOUT_MS, LISTS_AT_ONCE } from './lists/index.js';
import { PaymentsRoot } from './payments.root.js';

export const payments: ServiceDefinition<PaymentsRoot> = {
  name: 'payments',
  database: {
    migrations: paymentsMigrations,
    partitioned: ['entries', 'transitions', 'outbox', 'inbox'],
    lists: { maxConnections: LISTS_AT_ONCE, statementTimeoutMs: LIST_TIMEOUT_MS },
  },
  eventsAtOnce: EVENTS_AT_ONCE,
  module: AppModule,
  root: PaymentsRoot,
  openAdmin: openPaymentsAdmin,
};
