import { Global, Module } from '@nestjs/common';
import { JobClock } from '@vuka/jobs';
import { Database } from '@vuka/persistence';
import { WakeSignal } from '@vuka/runtime';
import { LISTS_DATABASE, OUTBOX_SIGNAL } from '@vuka/service-host';

import { CorridorsModule } from '../corridors/index.js';
import { ControlsModule } from '../controls/index.js';
import { FloatsModule } from '../floats/index.js';
import { ListsModule } from '../lists/index.js';
import { SettlementsModule } from '../settlements/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { WalletsModule } from '../wallets/index.js';
import { CallbackAdmin } from './callback-admin.js';
import { CorridorAdmin } from './corridor-admin.js';
import { DecisionMethods } from './methods/decision-methods.js';
import { DepositRecords } from './deposit-records.js';
import { FloatMethods } from './methods/float-methods.js';
import { MoneyAdmin } from './money-admin.js';
import { MoneyMethods } from './methods/money-methods.js';
import { PaymentReports } from './payment-reports.js';
import { PaymentsAdmin } from './payments-admin.js';
import { ProviderBalances } from './provider-balances.js';
import { ReadMethods } from './methods/read-methods.js';
import { DepositReader } from './readers/deposit-reader.js';
import { MoneyTroubleReader } from './readers/money-trouble-reader.js';
import { TransactionFinder } from './readers/transaction-finder.js';
import { ResolveIncident } from './resolve-incident.js';
import { StandingMethods } from './methods/standing-methods.js';
import { SetReturnAddress } from './set-return-address.js';

const NO_JOBS: Pick<JobClock, 'every' | 'wakeAt'> = { every: () => undefined, wakeAt: () => Promise.resolve() };

const around = [
  { provide: JobClock, useValue: NO_JOBS },
  // A running relay polls and finds the rows.
  { provide: OUTBOX_SIGNAL, useFactory: () => new WakeSignal() },
  { provide: LISTS_DATABASE, useExisting: Database },
];

/** Stands in for what a running payments provides. */
@Global()
@Module({ providers: around, exports: around })
class AroundModule {}

@Module({
  imports: [
    AroundModule,
    ControlsModule,
    CorridorsModule,
    FloatsModule,
    ListsModule,
    SettlementsModule,
    TransactionsModule,
    WalletsModule,
  ],
  providers: [
    CallbackAdmin,
    CorridorAdmin,
    DecisionMethods,
    DepositReader,
    DepositRecords,
    FloatMethods,
    MoneyAdmin,
    MoneyMethods,
    MoneyTroubleReader,
    PaymentReports,
    PaymentsAdmin,
    ProviderBalances,
    ReadMethods,
    ResolveIncident,
    SetReturnAddress,
    StandingMethods,
    TransactionFinder,
  ],
})
export class AdminModule {}
