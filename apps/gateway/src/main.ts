import 'reflect-metadata';

import { runService } from '@vuka/service-host/run';

await runService('gateway', async () => (await import('./gateway.js')).gateway);
