import 'reflect-metadata';

import { runService } from '@vuka/service-host';

import { checkout } from './checkout.js';

await runService(checkout);
