import 'reflect-metadata';

import { offrampApi } from '@vuka/contracts';
import { WakeSignal } from '@vuka/runtime';
import { runService } from '@vuka/service-host';

import { openCheckoutDesk } from './admin/index.js';
import { startCheckout } from './start-checkout.js';
import { CHECKOUT_MIGRATIONS } from './store/migrations.js';

await runService({
  name: 'checkout',
  migrations: CHECKOUT_MIGRATIONS,
  openDesk: openCheckoutDesk,
  start: async (ground) => {
    const outboxSignal = new WakeSignal();
    const checkout = await startCheckout({
      settings: ground.settings,
      database: ground.database,
      wire: ground.wire,
      jobs: ground.jobs,
      offramp: ground.client(offrampApi),
      outboxSignal,
      clock: ground.clock,
      log: ground.log,
      metrics: ground.metrics,
    });
    ground.wire.attachProducer({ service: checkout.name, db: checkout.db, signal: outboxSignal });
    return checkout;
  },
});
