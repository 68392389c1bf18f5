import { Module } from '@nestjs/common';

import { CommitModule } from '../commit/index.js';
import { PageByAge } from './page-by-age.js';
import { PayoutWake } from './payout-wake.js';

const providers = [PayoutWake, PageByAge];

@Module({
  imports: [CommitModule],
  providers,
  exports: providers,
})
export class DueWorkModule {}
