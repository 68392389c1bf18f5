import 'reflect-metadata';

import { WakeSignal } from '@vuka/runtime';
import { runService } from '@vuka/service-host';

import { openNotifierDesk } from './admin/index.js';
import { startNotifier } from './start-notifier.js';
import { NOTIFIER_MIGRATIONS } from './store/migrations.js';

await runService({
  name: 'notifier',
  migrations: NOTIFIER_MIGRATIONS,
  openDesk: openNotifierDesk,
  start: async (ground) => {
    const outboxSignal = new WakeSignal();
    const notifier = await startNotifier({
      settings: ground.settings,
      database: ground.database,
      wire: ground.wire,
      jobs: ground.jobs,
      outboxSignal,
      clock: ground.clock,
      clockAgrees: () => ground.clockAgrees(),
      log: ground.log,
      cipher: ground.cipher,
      metrics: ground.metrics,
    });
    ground.wire.attachProducer({ service: notifier.name, db: notifier.db, signal: outboxSignal });
    return notifier;
  },
});
