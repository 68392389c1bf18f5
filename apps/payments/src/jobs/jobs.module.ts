import { Module } from '@nestjs/common';

import { CallbacksModule } from '../callbacks/index.js';
import { CorridorHealthModule } from '../corridors/index.js';
import { DueWorkModule } from '../due-work/index.js';
import { KeptValuesModule } from '../kept-values/index.js';
import { PayoutsModule } from '../payouts/index.js';
import { ProviderWatchModule } from '../provider-watch/index.js';
import { RefundsModule } from '../refunds/index.js';
import { SettlementsModule } from '../settlements/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { WalletsModule } from '../wallets/index.js';
import { CallbackLoops } from './callback-loops.js';
import { CallLoops } from './call-loops.js';
import { ForgetRows } from './forget-rows.js';
import { LedgerLoops } from './ledger-loops.js';
import { MakeCall } from './make-call.js';
import { PayoutJobs } from './payout-jobs.js';
import { PeriodicJobs } from './periodic-jobs.js';
import { StartLoop } from './start-loop.js';
import { StatementLoops } from './statement-loops.js';

@Module({
  imports: [
    CallbacksModule,
    CorridorHealthModule,
    DueWorkModule,
    KeptValuesModule,
    PayoutsModule,
    ProviderWatchModule,
    RefundsModule,
    SettlementsModule,
    TransactionsModule,
    WalletsModule,
  ],
  providers: [
    ForgetRows,
    StartLoop,
    CallbackLoops,
    CallLoops,
    MakeCall,
    StatementLoops,
    LedgerLoops,
    PayoutJobs,
    PeriodicJobs,
  ],
  exports: [PayoutJobs, PeriodicJobs],
})
export class JobsModule {}
