import 'reflect-metadata';

import { runService } from '@vuka/service-host';

import { offramp } from './offramp.js';

await runService(offramp);
