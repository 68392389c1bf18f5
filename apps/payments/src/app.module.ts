import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { DeadLetterStore } from '@vuka/messaging';
import { EventServer } from '@vuka/messaging/event-server';
import type { Database } from '@vuka/persistence';

import {
  AcceptPay,
  AcceptPayout,
  CallRail,
  ControlSandboxPayout,
  FindAcceptance,
  type ParkPolicy,
  RecordRailAnswer,
  StartPayout,
} from './payouts/index.js';
import { CollectReceivables, StatementStore, Wallets, WalletStatement } from './wallets/index.js';
import {
  CONSUMER_GROUP,
  CreditDeposit,
  DepositConsumer,
  EVENTS_AT_ONCE,
  RecordReversal,
  RecordVerdict,
} from './deposits/index.js';
import {
  OrderDepositConsumer,
  RecordOrderDeposits,
  RevertOrderDeposit,
  SettlementConsumer,
  SettleOrder,
} from './orders/index.js';
import {
  FrozenPartners,
  PartnerConsumer,
  RecordPartnerStatus,
  RefuseCrowd,
  RefuseFrozen,
  WakeStopped,
} from './controls/index.js';
import { GrantRefunds, RecordRefund, RefundConsumer, RequestRefund } from './refunds/index.js';
import { ListTransactions, ListTurns, PageCursors } from './lists/index.js';
import {
  AttemptStore,
  DestinationVault,
  GetTransaction,
  HeldBackStore,
  OrderStore,
  TransactionStore,
} from './transactions/index.js';
import { ExecuteSettlement, SettlementStore } from './settlements/index.js';
import { PayoutJobs } from './jobs/index.js';
import { PageByAge, PayoutWake } from './due-work/index.js';
import type { PaymentsDependencies, PaymentsPools } from './payments-dependencies.js';
import { DepositStore, RefundStore } from './value/index.js';
import { MoveWriter, TransactionIds } from './commit/index.js';
import { TransactionMachine } from './machine/index.js';

@Module({})
class PaymentsModule {}

/** docs/engineers/money.md, "Waiting for a provider": how long a transaction waits for a rail. */
const PARK_POLICIES: Readonly<Record<'sandbox' | 'live', ParkPolicy>> = {
  sandbox: { parkForMs: 30_000, retryAfterMs: 1_000 },
  live: { parkForMs: 4 * 3_600_000, retryAfterMs: 30_000 },
};

type Class<T> = abstract new (...args: never[]) => T;

function provide<T>(
  token: Class<T>,
  inject: Class<unknown>[],
  useFactory: (...parts: never[]) => T,
): FactoryProvider<T> {
  return { provide: token, inject, useFactory } as unknown as FactoryProvider<T>;
}

type Providers = FactoryProvider<unknown>[];

/** What payments is made of. */
export function paymentsModule(deps: PaymentsDependencies, { db, lists }: PaymentsPools): DynamicModule {
  const providers = [
    ...stores(deps, db),
    ...askedByPartners(deps, db),
    ...listing(deps, lists),
    ...payouts(deps),
    ...deposits(deps, db),
    ...orders(deps, db),
    ...refunds(deps, db),
    ...dueWork(deps, db),
  ];
  return {
    module: PaymentsModule,
    controllers: [DepositConsumer, RefundConsumer, OrderDepositConsumer, SettlementConsumer, PartnerConsumer],
    providers,
  };
}

function stores({ clock, log, jobs, cipher, outboxSignal }: PaymentsDependencies, db: Database): Providers {
  return [
    provide(TransactionIds, [], () => new TransactionIds(db)),
    provide(TransactionStore, [], () => new TransactionStore(db)),
    provide(AttemptStore, [], () => new AttemptStore(db)),
    provide(MoveWriter, [], () => new MoveWriter(db, clock, log, outboxSignal)),
    provide(HeldBackStore, [], () => new HeldBackStore(db)),
    provide(FrozenPartners, [], () => new FrozenPartners(db, clock)),
    provide(
      RefuseFrozen,
      [FrozenPartners, TransactionStore],
      (frozen: FrozenPartners, store: TransactionStore) => new RefuseFrozen(frozen, store),
    ),
    provide(
      WakeStopped,
      [TransactionStore, PayoutWake],
      (store: TransactionStore, wake: PayoutWake) => new WakeStopped(store, clock, wake.starts),
    ),
    provide(RecordPartnerStatus, [WakeStopped], (stopped: WakeStopped) => new RecordPartnerStatus(db, stopped, clock)),
    provide(DestinationVault, [], () => new DestinationVault(cipher)),
    provide(PayoutWake, [MoveWriter], (writer: MoveWriter) => new PayoutWake(jobs, writer, clock, log)),
  ];
}

/** Answers to internal calls. */
function askedByPartners(
  { clock, settings, currencies, providers, sandboxControls: controls }: PaymentsDependencies,
  db: Database,
): Providers {
  return [
    provide(Wallets, [MoveWriter], (writer: MoveWriter) => new Wallets(db, writer, settings.env, providers)),
    provide(
      RefuseCrowd,
      [TransactionStore],
      (store: TransactionStore) => new RefuseCrowd(db, store, settings.mostWaitingPays),
    ),
    provide(
      GetTransaction,
      [TransactionStore, DestinationVault, MoveWriter],
      (store: TransactionStore, vault: DestinationVault, writer: MoveWriter) =>
        new GetTransaction(store, vault, writer),
    ),
    provide(
      FindAcceptance,
      [TransactionStore, MoveWriter],
      (store: TransactionStore, writer: MoveWriter) => new FindAcceptance(store, writer),
    ),
    provide(
      AcceptPayout,
      [TransactionIds, MoveWriter, DestinationVault, PayoutWake],
      (ids: TransactionIds, writer: MoveWriter, vault: DestinationVault, wake: PayoutWake) =>
        new AcceptPayout(ids, writer, vault, clock, currencies, wake.starts),
    ),
    provide(
      AcceptPay,
      [TransactionIds, MoveWriter, TransactionStore, DestinationVault],
      (ids: TransactionIds, writer: MoveWriter, store: TransactionStore, vault: DestinationVault) =>
        new AcceptPay(ids, writer, store, vault, clock),
    ),
    provide(
      ControlSandboxPayout,
      [TransactionStore, AttemptStore, DestinationVault, PayoutWake],
      (transactions: TransactionStore, attempts: AttemptStore, vault: DestinationVault, wake: PayoutWake) =>
        new ControlSandboxPayout({ transactions, attempts }, vault, { providers, controls }, clock, {
          starts: wake.starts,
          polls: wake.looks,
        }),
    ),
  ];
}

function listing({ cipher, clock, log }: PaymentsDependencies, db: Database): Providers {
  return [
    provide(PageCursors, [], () => new PageCursors(cipher)),
    provide(ListTurns, [], () => new ListTurns(clock, log)),
    provide(
      ListTransactions,
      [DestinationVault, PageCursors],
      (vault: DestinationVault, cursors: PageCursors) => new ListTransactions(new TransactionStore(db), vault, cursors),
    ),
    provide(
      WalletStatement,
      [PageCursors],
      (cursors: PageCursors) => new WalletStatement(new StatementStore(db), cursors),
    ),
  ];
}

/** From a transaction that is due to its end. */
function payouts({ clock, log, settings, providers }: PaymentsDependencies): Providers {
  const park = PARK_POLICIES[settings.env];
  return [
    provide(
      TransactionMachine,
      [TransactionStore, MoveWriter, TransactionIds, HeldBackStore],
      (store: TransactionStore, writer: MoveWriter, ids: TransactionIds, heldBack: HeldBackStore) =>
        new TransactionMachine(store, writer, clock, log, ids, heldBack),
    ),
    provide(
      StartPayout,
      [TransactionMachine, AttemptStore, DestinationVault, FrozenPartners, WakeStopped, PayoutWake, RecordReversal],
      (
        ...[machine, attempts, vault, frozen, stopped, wake, reversals]: [
          TransactionMachine,
          AttemptStore,
          DestinationVault,
          FrozenPartners,
          WakeStopped,
          PayoutWake,
          RecordReversal,
        ]
      ) =>
        new StartPayout({
          machine,
          attempts,
          vault,
          providers,
          policy: park,
          frozen,
          stopped,
          reversals,
          clock,
          started: wake.submits,
        }),
    ),
    provide(
      RecordRailAnswer,
      [TransactionMachine, TransactionStore, AttemptStore, PayoutWake],
      (machine: TransactionMachine, transactions: TransactionStore, attempts: AttemptStore, wake: PayoutWake) =>
        new RecordRailAnswer(machine, { transactions, attempts }, providers, park, clock, wake),
    ),
    provide(
      CallRail,
      [DestinationVault, RecordRailAnswer, TransactionStore],
      (vault: DestinationVault, answers: RecordRailAnswer, store: TransactionStore) =>
        new CallRail(providers, vault, answers, store, clock, log),
    ),
  ];
}

/** What offramp says of deposits. */
function deposits({ wire, log }: PaymentsDependencies, db: Database): Providers {
  return [
    provide(
      EventServer,
      [],
      () =>
        new EventServer({
          group: CONSUMER_GROUP,
          wire,
          deadLetters: new DeadLetterStore(db),
          concurrency: EVENTS_AT_ONCE,
        }),
    ),
    provide(DepositStore, [], () => new DepositStore(db)),
    provide(
      RecordReversal,
      [TransactionMachine, TransactionStore, DepositStore, AttemptStore, PayoutWake],
      (
        machine: TransactionMachine,
        transactions: TransactionStore,
        kept: DepositStore,
        attempts: AttemptStore,
        wake: PayoutWake,
      ) => new RecordReversal(machine, transactions, kept, attempts, wake.debts),
    ),
    provide(
      RecordVerdict,
      [TransactionMachine, TransactionStore, DepositStore, PayoutWake, RecordReversal],
      (
        machine: TransactionMachine,
        transactions: TransactionStore,
        kept: DepositStore,
        wake: PayoutWake,
        reversals: RecordReversal,
      ) => new RecordVerdict(machine, transactions, kept, wake.starts, reversals),
    ),
    provide(
      CreditDeposit,
      [DepositStore, MoveWriter, PayoutWake],
      (kept: DepositStore, writer: MoveWriter, wake: PayoutWake) => new CreditDeposit(kept, writer, wake.debts, log),
    ),
  ];
}

/** What comes for orders, and what they make of it. */
function orders({ log }: PaymentsDependencies, db: Database): Providers {
  return [
    provide(
      RevertOrderDeposit,
      [DepositStore, MoveWriter, PayoutWake],
      (kept: DepositStore, writer: MoveWriter, wake: PayoutWake) =>
        new RevertOrderDeposit(kept, writer, wake.debts, log),
    ),
    provide(
      RecordOrderDeposits,
      [DepositStore, MoveWriter, RevertOrderDeposit],
      (kept: DepositStore, writer: MoveWriter, reversals: RevertOrderDeposit) =>
        new RecordOrderDeposits(kept, writer, reversals),
    ),
    provide(
      SettleOrder,
      [DepositStore, MoveWriter, RevertOrderDeposit, CreditDeposit, PayoutWake],
      (
        kept: DepositStore,
        writer: MoveWriter,
        reversals: RevertOrderDeposit,
        credits: CreditDeposit,
        wake: PayoutWake,
      ) =>
        new SettleOrder(
          { deposits: kept, orders: new OrderStore(db) },
          writer,
          { reversals, credits },
          wake.debts,
          log,
        ),
    ),
  ];
}

/** What goes back on chain. */
function refunds({ clock, log, providers }: PaymentsDependencies, db: Database): Providers {
  return [
    provide(RefundStore, [], () => new RefundStore(db)),
    provide(
      RequestRefund,
      [RefundStore, HeldBackStore, TransactionIds, MoveWriter],
      (kept: RefundStore, heldBack: HeldBackStore, ids: TransactionIds, writer: MoveWriter) =>
        new RequestRefund(kept, heldBack, ids, writer, clock),
    ),
    provide(
      RecordRefund,
      [RefundStore, MoveWriter, CreditDeposit, PayoutWake],
      (kept: RefundStore, writer: MoveWriter, credits: CreditDeposit, wake: PayoutWake) =>
        new RecordRefund(kept, writer, credits, wake.debts, log),
    ),
    provide(
      GrantRefunds,
      [RefundStore, MoveWriter],
      (kept: RefundStore, writer: MoveWriter) => new GrantRefunds(kept, writer, providers, clock, log),
    ),
  ];
}

function dueWork({ clock, log, providers }: PaymentsDependencies, db: Database): Providers {
  return [
    provide(
      ExecuteSettlement,
      [TransactionMachine, TransactionStore, AttemptStore],
      (machine: TransactionMachine, transactions: TransactionStore, attempts: AttemptStore) =>
        new ExecuteSettlement(new SettlementStore(db), machine, transactions, attempts, clock, log),
    ),
    provide(CollectReceivables, [MoveWriter], (writer: MoveWriter) => new CollectReceivables(db, writer, log)),
    provide(PageByAge, [], () => new PageByAge(db, clock, log)),
    provide(
      PayoutJobs,
      [TransactionStore, StartPayout, CallRail, CollectReceivables, ExecuteSettlement, PayoutWake],
      (
        transactions: TransactionStore,
        starter: StartPayout,
        caller: CallRail,
        collector: CollectReceivables,
        settlements: ExecuteSettlement,
        wake: PayoutWake,
      ) =>
        new PayoutJobs({ transactions, attempts: new AttemptStore(db) }, starter, caller, collector, settlements, {
          providers,
          wake,
          clock,
          log,
        }),
    ),
  ];
}
