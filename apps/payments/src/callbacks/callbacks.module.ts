import { Module } from '@nestjs/common';

import { DueWorkModule } from '../due-work/index.js';
import { FloatsModule } from '../floats/index.js';
import { PayoutsModule } from '../payouts/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { CallbackEnvelope } from './callback-envelope.js';
import { CallbackMetrics } from './callback-metrics.js';
import { CallbackProviders } from './callback-providers.js';
import { CallbackStore } from './callback.store.js';
import { HandleCallback } from './handle-callback.js';
import { JudgeCallback } from './judge-callback.js';
import { LostCallbacks } from './lost-callbacks.js';
import { RecordCallback } from './record-callback.js';
import { ResendCallbacks } from './resend-callbacks.js';
import { SweepCallbacks } from './sweep-callbacks.js';
import { TakeCallback } from './take-callback.js';

@Module({
  imports: [DueWorkModule, FloatsModule, PayoutsModule, TransactionsModule],
  providers: [
    CallbackEnvelope,
    CallbackMetrics,
    CallbackProviders,
    CallbackStore,
    HandleCallback,
    JudgeCallback,
    LostCallbacks,
    RecordCallback,
    ResendCallbacks,
    SweepCallbacks,
    TakeCallback,
  ],
  exports: [CallbackProviders, CallbackStore, HandleCallback, LostCallbacks, SweepCallbacks, TakeCallback],
})
export class CallbacksModule {}
