import type { ServiceDefinition } from '@vuka/service-host';

import { AdminModule } from './admin.module.js';
import { AdminRoot } from './admin.root.js';

export const admin: ServiceDefinition<AdminRoot> = {
  name: 'admin',
  module: AdminModule,
  root: AdminRoot,
};
