import 'reflect-metadata';

import { runService } from '@vuka/service-host/run';

await runService('notifier', async () => (await import('./notifier.js')).notifier);
