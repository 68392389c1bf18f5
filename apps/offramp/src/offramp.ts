import type { ServiceDefinition } from '@vuka/service-host';

import { openOfframpAdmin } from './admin/index.js';
import { AppModule } from './app.module.js';
import { OfframpRoot } from './offramp.root.js';
import { OFFRAMP_MIGRATIONS } from './store/migrations.js';

export const offramp: ServiceDefinition<OfframpRoot> = {
  name: 'offramp',
  database: { migrations: OFFRAMP_MIGRATIONS, partitioned: ['outbox', 'inbox'] },
  // Each event needs a commit, and connections are few.
  eventsAtOnce: 8,
  module: AppModule,
  root: OfframpRoot,
  openAdmin: openOfframpAdmin,
};
