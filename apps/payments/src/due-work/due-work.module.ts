import { Module } from '@nestjs/common';

import { PageByAge } from './page-by-age.js';
import { PayoutWake } from './payout-wake.js';

/** PARTNER_TRAFFIC comes from CommitModule, which is global: this folder imports none. */
const providers = [PayoutWake, PageByAge];

@Module({ providers, exports: providers })
export class DueWorkModule {}
