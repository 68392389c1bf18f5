import 'reflect-metadata';

import { runService } from '@vuka/service-host';

import { payments } from './payments.js';

await runService(payments);
