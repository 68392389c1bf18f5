import type { ServiceDefinition } from '@vuka/service-host';

import { openCheckoutAdmin } from './admin/index.js';
import { AppModule } from './app.module.js';
import { CheckoutRoot } from './checkout.root.js';
import { CHECKOUT_MIGRATIONS } from './store/migrations.js';

export const checkout: ServiceDefinition<CheckoutRoot> = {
  name: 'checkout',
  database: { migrations: CHECKOUT_MIGRATIONS, partitioned: ['outbox', 'inbox'] },
  // Each event needs a commit, and connections are few.
  eventsAtOnce: 3,
  module: AppModule,
  root: CheckoutRoot,
  openAdmin: openCheckoutAdmin,
};
