import 'reflect-metadata';

import { runService } from '@vuka/service-host';

import { gateway } from './gateway.js';

await runService(gateway);
