import { Module } from '@nestjs/common';

import { CommitModule } from '../commit/index.js';
import { CorridorsModule } from '../corridors/index.js';
import { ControlsModule } from '../controls/index.js';
import { DepositsModule } from '../deposits/index.js';
import { DueWorkModule } from '../due-work/index.js';
import { FloatsModule } from '../floats/index.js';
import { MachineModule } from '../machine/index.js';
import { ProviderWatchModule } from '../provider-watch/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { AcceptPay } from './accept/accept-pay.js';
import { AcceptPayout } from './accept/accept-payout.js';
import { AcceptanceChecks } from './accept/acceptance-checks.js';
import { AcceptanceHandlers } from './accept/acceptance-handlers.js';
import { FindAcceptance } from './accept/find-acceptance.js';
import { RoutesWatch } from './accept/routes-watch.js';
import { TermsWatch } from './accept/terms-watch.js';
import { AnswerApproval } from './approvals/answer-approval.js';
import { DecideApproval } from './approvals/decide-approval.js';
import { CallProvider } from './call-provider.js';
import { Routes } from './choose-route.js';
import { ControlSandboxPayout } from './control-sandbox-payout.js';
import { NextAttempt } from './next-attempt.js';
import { PayoutHandlers } from './payout-handlers.js';
import { Parking } from './parking.js';
import { RecordProviderAnswer } from './record-provider-answer.js';
import { SandboxProviders } from './sandbox-providers.js';
import { StartPayout } from './start-payout.js';
import { StatusPolls } from './status-polls.js';

@Module({
  imports: [
    CommitModule,
    ControlsModule,
    CorridorsModule,
    DepositsModule,
    DueWorkModule,
    FloatsModule,
    MachineModule,
    ProviderWatchModule,
    TransactionsModule,
  ],
  providers: [
    Routes,
    Parking,
    NextAttempt,
    StartPayout,
    StatusPolls,
    RecordProviderAnswer,
    CallProvider,
    AnswerApproval,
    DecideApproval,
    PayoutHandlers,
    SandboxProviders,
    ControlSandboxPayout,
    RoutesWatch,
    TermsWatch,
    AcceptPayout,
    AcceptPay,
    FindAcceptance,
    AcceptanceChecks,
    AcceptanceHandlers,
  ],
  exports: [StartPayout, CallProvider, RecordProviderAnswer, PayoutHandlers],
})
export class PayoutsModule {}
