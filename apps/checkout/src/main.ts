import 'reflect-metadata';

import { runService } from '@vuka/service-host';

import { startCheckout } from './start-checkout.js';

await runService({ name: 'checkout', start: ({ log }) => startCheckout({ log }) });
