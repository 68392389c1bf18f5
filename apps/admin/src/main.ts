import 'reflect-metadata';

import { runService } from '@vuka/service-host';

import { admin } from './admin.js';

await runService(admin);
