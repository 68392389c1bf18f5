import 'reflect-metadata';

import { WakeSignal } from '@vuka/runtime';
import { runService } from '@vuka/service-host';

import { openPaymentsDesk } from './admin/index.js';
import { createPayments } from './payments.js';
import { paymentsMigrations } from './commit/index.js';

await runService({
  name: 'payments',
  migrations: paymentsMigrations,
  openDesk: openPaymentsDesk,
  start: async (ground) => {
    const outboxSignal = new WakeSignal();
    const payments = await createPayments({
      settings: ground.settings,
      database: ground.database,
      ...ground.rails,
      currencies: ground.currencies,
      outboxSignal,
      wire: ground.wire,
      jobs: ground.jobs,
      clock: ground.clock,
      log: ground.log,
      cipher: ground.cipher,
    });
    ground.wire.attachProducer({ service: payments.name, db: payments.db, signal: outboxSignal });
    return payments;
  },
});
