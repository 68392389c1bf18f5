import { Module } from '@nestjs/common';

import { StaleAlerts } from './stale-alerts.js';
import { PayoutWake } from './payout-wake.js';

/** PARTNER_TRAFFIC comes from CommitModule, which is global: this folder imports none. */
const providers = [PayoutWake, StaleAlerts];

@Module({ providers, exports: providers })
export class DueWorkModule {}
