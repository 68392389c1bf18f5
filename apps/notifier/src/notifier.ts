import type { ServiceDefinition } from '@vuka/service-host';

import { openNotifierAdmin } from './admin/index.js';
import { AppModule } from './app.module.js';
import { EVENTS_AT_ONCE } from './changes/index.js';
import { NotifierRoot } from './notifier.root.js';
import { NOTIFIER_MIGRATIONS } from './store/migrations.js';

export const notifier: ServiceDefinition<NotifierRoot> = {
  name: 'notifier',
  database: {
    migrations: NOTIFIER_MIGRATIONS,
    partitioned: ['deliveries', 'delivery_attempts', 'inbox', 'outbox'],
    // Two connections for all partners' lists; a request has 2 s.
    lists: { maxConnections: 2, statementTimeoutMs: 1_500 },
  },
  eventsAtOnce: EVENTS_AT_ONCE,
  module: AppModule,
  root: NotifierRoot,
  openAdmin: openNotifierAdmin,
};
