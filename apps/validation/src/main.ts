import 'reflect-metadata';

import { runService } from '@vuka/service-host';

import { validation } from './validation.js';

await runService(validation);
