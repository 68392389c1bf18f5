import 'reflect-metadata';

import { runService } from '@vuka/service-host';

import { notifier } from './notifier.js';

await runService(notifier);
