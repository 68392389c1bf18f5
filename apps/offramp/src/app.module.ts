import { Module } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import { SETTINGS } from '@vuka/service-host';

import { AlertsModule } from './alerts/index.js';
import { BackgroundWork, LOOPED_WORK, type LoopedWork } from './background-work.js';
import { ChainsModule } from './chains/index.js';
import { ClaimWorkModule, CreditUnapplied, CheckDeposits } from './claim-work/index.js';
import { ClaimsModule } from './claims/index.js';
import { NetworksModule } from './networks/index.js';
import { OfframpApi } from './offramp-api.js';
import { OfframpJobs } from './offramp-jobs.js';
import { OfframpRoot } from './offramp.root.js';
import { OrdersModule, PassWatches } from './orders/index.js';
import { QuotesModule } from './quotes/index.js';
import { RatesModule } from './rates/index.js';
import { Rechecks, RechecksModule, Returns } from './rechecks/index.js';
import { RefundIntakeModule } from './refund-intake/index.js';
import { ScanChains, ScansModule } from './scans/index.js';
import { ScreeningModule } from './screening/index.js';
import { TransfersModule, WorkOnRefunds } from './transfers/index.js';

/** In starting order. */
const LOOPS = [CheckDeposits, Rechecks, Returns, WorkOnRefunds, ScanChains, PassWatches] as const;

@Module({
  imports: [
    ChainsModule,
    RatesModule,
    ScreeningModule,
    NetworksModule,
    QuotesModule,
    ClaimsModule,
    OrdersModule,
    ClaimWorkModule,
    ScansModule,
    RechecksModule,
    RefundIntakeModule,
    TransfersModule,
    AlertsModule,
  ],
  providers: [
    {
      provide: LOOPED_WORK,
      inject: [SETTINGS, CreditUnapplied, ...LOOPS],
      useFactory: ({ chains }: Settings, credits: CreditUnapplied, ...work: LoopedWork[]): LoopedWork[] =>
        chains.unapplied === 'keep' ? work : [...work, credits],
    },
    BackgroundWork,
    OfframpApi,
    OfframpJobs,
    OfframpRoot,
  ],
})
export class AppModule {}
