import 'reflect-metadata';

import { runService } from '@vuka/service-host';

import { startNotifier } from './start-notifier.js';
import { NOTIFIER_MIGRATIONS } from './store/migrations.js';

await runService({
  name: 'notifier',
  migrations: NOTIFIER_MIGRATIONS,
  start: (ground) =>
    startNotifier({
      settings: ground.settings,
      database: ground.database,
      wire: ground.wire,
      jobs: ground.jobs,
      clock: ground.clock,
      log: ground.log,
      cipher: ground.cipher,
    }),
});
