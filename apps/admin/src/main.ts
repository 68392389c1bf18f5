import 'reflect-metadata';

import { runService } from '@vuka/service-host/run';

await runService('admin', async () => (await import('./admin.js')).admin);
