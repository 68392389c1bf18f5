import 'reflect-metadata';

import { runService } from '@vuka/service-host/run';

await runService('validation', async () => (await import('./validation.js')).validation);
