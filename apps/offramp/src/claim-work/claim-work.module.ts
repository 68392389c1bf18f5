import { Module } from '@nestjs/common';

import { ChainsModule } from '../chains/index.js';
import { ClaimsModule } from '../claims/index.js';
import { OrdersModule } from '../orders/index.js';
import { RatesModule } from '../rates/index.js';
import { SwitchesModule } from '../switches/index.js';
import { ClaimReports } from './claim-reports.js';
import { ClaimWatch } from './claim-watch.js';
import { CreditUnapplied } from './credit-unapplied.js';
import { JudgeClaim } from './judge-claim.js';
import { CheckDeposits } from './check-deposits.js';
import { OfframpMetrics } from './offramp-metrics.js';

@Module({
  imports: [ChainsModule, ClaimsModule, OrdersModule, RatesModule, SwitchesModule],
  providers: [ClaimWatch, OfframpMetrics, ClaimReports, JudgeClaim, CheckDeposits, CreditUnapplied],
  exports: [ClaimWatch, OfframpMetrics, CheckDeposits, CreditUnapplied],
})
export class ClaimWorkModule {}
