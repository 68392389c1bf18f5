import 'reflect-metadata';

import { WakeSignal } from '@vuka/runtime';
import { runService } from '@vuka/service-host';

import { openOfframpDesk } from './admin/index.js';
import { startOfframp } from './start-offramp.js';
import { OFFRAMP_MIGRATIONS } from './store/migrations.js';

await runService({
  name: 'offramp',
  migrations: OFFRAMP_MIGRATIONS,
  openDesk: openOfframpDesk,
  start: async (ground) => {
    const outboxSignal = new WakeSignal();
    const offramp = await startOfframp({
      settings: ground.settings,
      database: ground.database,
      wire: ground.wire,
      jobs: ground.jobs,
      outboxSignal,
      clock: ground.clock,
      log: ground.log,
      metrics: ground.metrics,
    });
    ground.wire.attachProducer({ service: offramp.name, db: offramp.db, signal: outboxSignal });
    return offramp;
  },
});
