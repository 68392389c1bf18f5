import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { SANDBOX_SERVICE_FEES, type ServiceFeePolicy } from '@vuka/domain';
import type { Database } from '@vuka/persistence';

import { AcceptPayout } from './accept-payout.js';
import { CallRail } from './call-rail.js';
import { ControlSandboxPayout, type ControlledPayouts } from './control-sandbox-payout.js';
import { DestinationVault } from './destination-vault.js';
import { GetTransaction } from './get-transaction.js';
import { PayoutJobs } from './jobs/payout-jobs.js';
import { PayoutWake } from './jobs/payout-wake.js';
import type { PaymentsDependencies } from './payments.js';
import { RecordRailAnswer } from './record-rail-answer.js';
import { StartPayout, type ParkPolicy } from './start-payout.js';
import { MoveWriter } from './store/move-writer.js';
import { TransactionIds } from './store/transaction-ids.js';
import { TransactionStore } from './store/transaction.store.js';
import { TransactionMachine } from './transaction-machine.js';
import { Wallets } from './wallets.js';

@Module({})
class PaymentsModule {}

/** docs/money.md section 1: how long a transaction waits for a rail. */
const PARK_POLICIES: Readonly<Record<'sandbox' | 'live', ParkPolicy>> = {
  sandbox: { parkForMs: 30_000, retryAfterMs: 1_000 },
  live: { parkForMs: 4 * 3_600_000, retryAfterMs: 30_000 },
};

/** decisions.md section 3; live fees are set per deployment. */
const SERVICE_FEES: Readonly<Record<'sandbox' | 'live', ServiceFeePolicy>> = { sandbox: SANDBOX_SERVICE_FEES, live: {} };

type Class<T> = abstract new (...args: never[]) => T;

function provide<T>(token: Class<T>, inject: Class<unknown>[], useFactory: (...parts: never[]) => T): FactoryProvider<T> {
  return { provide: token, inject, useFactory } as unknown as FactoryProvider<T>;
}

/** What payments is made of. */
export function paymentsModule(deps: PaymentsDependencies, db: Database): DynamicModule {
  const { clock, log, settings, providers, cipher } = deps;
  const park = PARK_POLICIES[settings.env];
  return {
    module: PaymentsModule,
    providers: [
      provide(TransactionIds, [], () => new TransactionIds(db)),
      provide(TransactionStore, [], () => new TransactionStore(db)),
      provide(MoveWriter, [], () => new MoveWriter(db, clock, log, deps.outboxSignal)),
      provide(DestinationVault, [], () => new DestinationVault(cipher)),
      provide(PayoutWake, [MoveWriter], (writer: MoveWriter) => new PayoutWake(deps.jobs, writer, log)),
      provide(Wallets, [MoveWriter], (writer: MoveWriter) => new Wallets(db, writer, settings.env)),
      provide(
        GetTransaction, [TransactionStore, DestinationVault, MoveWriter],
        (store: TransactionStore, vault: DestinationVault, writer: MoveWriter) => new GetTransaction(store, vault, writer),
      ),
      provide(
        AcceptPayout, [TransactionIds, MoveWriter, DestinationVault, PayoutWake],
        (ids: TransactionIds, writer: MoveWriter, vault: DestinationVault, wake: PayoutWake) =>
          new AcceptPayout(ids, writer, vault, clock, SERVICE_FEES[settings.env], wake.starts),
      ),
      provide(
        ControlSandboxPayout, [TransactionStore, DestinationVault, PayoutWake],
        (store: ControlledPayouts, vault: DestinationVault, wake: PayoutWake) =>
          new ControlSandboxPayout(store, vault, { providers, controls: deps.sandboxControls }, clock, wake),
      ),
      provide(
        TransactionMachine, [TransactionStore, MoveWriter],
        (store: TransactionStore, writer: MoveWriter) => new TransactionMachine(store, writer, clock, log),
      ),
      provide(
        StartPayout, [TransactionMachine, PayoutWake],
        (machine: TransactionMachine, wake: PayoutWake) => new StartPayout(machine, providers, park, clock, wake.submits),
      ),
      provide(
        RecordRailAnswer, [TransactionMachine, TransactionStore, PayoutWake],
        (machine: TransactionMachine, store: TransactionStore, wake: PayoutWake) =>
          new RecordRailAnswer(machine, store, providers, park, clock, wake),
      ),
      provide(
        CallRail, [DestinationVault, RecordRailAnswer, TransactionStore],
        (vault: DestinationVault, answers: RecordRailAnswer, store: TransactionStore) =>
          new CallRail(providers, vault, answers, store, clock, log),
      ),
      provide(
        PayoutJobs, [TransactionStore, StartPayout, CallRail, PayoutWake],
        (store: TransactionStore, starter: StartPayout, caller: CallRail, wake: PayoutWake) =>
          new PayoutJobs(store, starter, caller, wake, clock, log),
      ),
    ],
  };
}
