import 'reflect-metadata';

import { runService } from '@vuka/service-host';

import { startOfframp } from './start-offramp.js';

await runService({ name: 'offramp', start: ({ log }) => startOfframp({ log }) });
