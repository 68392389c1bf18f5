import 'reflect-metadata';

import { runService } from '@vuka/service-host/run';

await runService('offramp', async () => (await import('./offramp.js')).offramp);
