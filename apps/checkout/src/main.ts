import 'reflect-metadata';

import { runService } from '@vuka/service-host/run';

await runService('checkout', async () => (await import('./checkout.js')).checkout);
