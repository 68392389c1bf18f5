import 'reflect-metadata';

import { runService } from '@vuka/service-host/run';

await runService('payments', async () => (await import('./payments.js')).payments);
