import type { ServiceDefinition } from '@vuka/service-host';

import { AdminModule } from './admin.module.js';
import { AdminRoot } from './admin.root.js';
import { ADMIN_MIGRATIONS } from './people/migrations.js';

export const admin: ServiceDefinition<AdminRoot> = {
  name: 'admin',
  database: { migrations: ADMIN_MIGRATIONS, partitioned: [] },
  module: AdminModule,
  root: AdminRoot,
};
