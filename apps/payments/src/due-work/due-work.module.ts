import { Module } from '@nestjs/common';

import { StaleAlerts } from './stale-alerts.js';
import { PayoutWake } from './payout-wake.js';

/** PARTNER_TRAFFIC comes from the global CommitModule. */
const providers = [PayoutWake, StaleAlerts];

@Module({ providers, exports: providers })
export class DueWorkModule {}
