import type { Problem, Result } from '@vuka/domain';
import { DeadLetterStore } from '@vuka/messaging';
import type { PayoutProvider } from '@vuka/payouts';
import { Database, missingMigrations, type DatabaseConfig, type Transaction } from '@vuka/persistence';
import { type Cipher, type Clock, type Logger, WakeSignal } from '@vuka/runtime';

import { MoveWriter, paymentsMigrations, TransactionIds } from '../commit/index.js';
import { ReleaseParked, type ReleaseWish } from '../controls/index.js';
import { checkLedger, type LedgerReport } from '../ledger/index.js';
import { PageCursors } from '../lists/index.js';
import { TransactionMachine } from '../machine/index.js';
import { ExecuteSettlement, SettlementStore, SettlePayout } from '../settlements/index.js';
import { AttemptStore, DestinationVault, HeldBackStore, TransactionStore } from '../transactions/index.js';
import { chainAccounts, type ChainAccountsView, type ChainQuestion } from './chain-accounts.js';
import { MoneyDesk } from './money-desk.js';
import { DepositReader } from './readers/deposit-reader.js';
import { MoneyTroubleReader, type IncidentsWanted } from './readers/money-trouble-reader.js';
import { StuckReader } from './readers/stuck-reader.js';
import { TransactionFinder } from './readers/transaction-finder.js';
import { TransactionLifeReader } from './readers/transaction-life-reader.js';
import { moneyOf } from './readers/view-values.js';
import type {
  IncidentView,
  MoneyView,
  OpenRefundView,
  ReturnAddressView,
  SettlementView,
  StuckReport,
  TransactionReport,
  TransactionSummary,
  UnappliedView,
} from './readers/views.js';
import { ResolveIncident } from './resolve-incident.js';
import { SetReturnAddress, type NewReturnAddress } from './set-return-address.js';

export interface PaymentsDeskDependencies {
  readonly database: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  readonly cipher: Cipher;
  readonly clock: Clock;
  readonly log: Logger;
  /** The rails that the Vuka of this folder can call. */
  readonly rails: readonly string[];
  /** Those rails, where this process can ask them. */
  readonly providers?: readonly PayoutProvider[];
}

/** The ledger's standing rules, and what each account's entries add up to. */
export interface LedgerView {
  readonly ok: boolean;
  readonly checks: LedgerReport['checks'];
  readonly balances: readonly { readonly account: string; readonly balance: MoneyView }[];
}

/**
 * What people may see and do of payments when something is wrong: reads of whole lives, and the few decisions that are
 * theirs. Runs beside a working payments or alone: everything is decided in the database. Migrates nothing.
 */
export class PaymentsDesk {
  /** The decision on payouts that their rail leaves open. */
  readonly settlements: SettlePayout;
  /** Of the events that payments reads. */
  readonly letters: DeadLetterStore;
  /** Partners' wallets, freezes and statements. */
  readonly money: MoneyDesk;
  private readonly writer: MoveWriter;
  private readonly troubles: MoneyTroubleReader;
  private readonly transactions: TransactionStore;

  private constructor(
    readonly db: Database,
    private readonly deps: PaymentsDeskDependencies,
  ) {
    // Nobody listens to this signal: a running Vuka's relay finds what was written here within its safety poll.
    this.writer = new MoveWriter(db, deps.clock, deps.log, new WakeSignal());
    this.troubles = new MoneyTroubleReader(db);
    this.letters = new DeadLetterStore(db);
    this.money = new MoneyDesk(db, this.writer, new PageCursors(deps.cipher), deps.clock);
    this.transactions = new TransactionStore(db);
    const machine = new TransactionMachine(
      this.transactions,
      this.writer,
      deps.clock,
      deps.log,
      new TransactionIds(db),
      new HeldBackStore(db),
    );
    const settlements = new SettlementStore(db);
    const executor = new ExecuteSettlement(
      settlements,
      machine,
      this.transactions,
      new AttemptStore(db),
      deps.clock,
      deps.log,
    );
    this.settlements = new SettlePayout(settlements, machine, this.transactions, executor, deps.clock);
  }

  /** Throws where the database is not reached or does not know this login. */
  static async open(deps: PaymentsDeskDependencies): Promise<PaymentsDesk> {
    return new PaymentsDesk(await Database.connect({ ...deps.database, migrations: [] }), deps);
  }

  /** Names of migrations that this program knows and the database has not run. */
  missingMigrations(): Promise<string[]> {
    return missingMigrations(this.db, paymentsMigrations);
  }

  find(codeOrId: string, partnerId: number | null): Promise<TransactionSummary[]> {
    return new TransactionFinder(this.db).find(codeOrId, partnerId);
  }

  /** Codes by id, for whoever knows transactions by their ids alone. */
  async codesOf(ids: readonly number[]): Promise<Map<number, string>> {
    const rows = await this.db.query<{ id: string; transaction_code: string }>(
      'select id::text as id, transaction_code from transactions where id = any ($1::bigint[])',
      [ids],
    );
    return new Map(rows.map((row) => [Number(row.id), row.transaction_code]));
  }

  /** All of it as it was at one moment. */
  report(transactionId: number): Promise<TransactionReport | undefined> {
    return this.snapshot((tx) =>
      new TransactionLifeReader(tx, new DestinationVault(this.deps.cipher), new MoneyTroubleReader(tx)).read(
        transactionId,
      ),
    );
  }

  stuck(): Promise<StuckReport> {
    return this.snapshot((tx) =>
      new StuckReader(tx, new MoneyTroubleReader(tx), this.deps.clock, this.deps.rails).read(),
    );
  }

  async ledger(): Promise<LedgerView> {
    const { ok, checks, balances } = await this.snapshot((tx) => checkLedger(tx));
    return {
      ok,
      checks,
      balances: balances.map(({ name, balanceMinor }) => ({
        account: name,
        balance: moneyOf(balanceMinor, name.slice(name.lastIndexOf(':') + 1)),
      })),
    };
  }

  chainAccounts(asked: ChainQuestion): Promise<ChainAccountsView> {
    return this.snapshot((tx) => chainAccounts(tx, asked));
  }

  /** Value on chain that was used for nothing: oldest first, at most `limit`. */
  unapplied(limit: number): Promise<UnappliedView[]> {
    return new DepositReader(this.db).unapplied(limit);
  }

  /** Refunds that have not ended: oldest first, at most `limit`. */
  openRefunds(limit: number): Promise<OpenRefundView[]> {
    return new DepositReader(this.db).openRefunds(limit);
  }

  setReturnAddress(address: NewReturnAddress): Promise<Result<ReturnAddressView, Problem>> {
    return new SetReturnAddress(this.db, this.deps.clock).run(address);
  }

  /** Makes a parked transaction due now; its deadline stays. */
  release(wish: ReleaseWish): Promise<Result<{ parkDeadline: Date | null }, Problem>> {
    return new ReleaseParked(this.db, this.deps.clock).run(wish);
  }

  settlement(id: number): Promise<SettlementView | undefined> {
    return this.troubles.settlementById(id);
  }

  /** Open ones, newest first; those of one partner where it is named. */
  incidents(wanted: IncidentsWanted): Promise<IncidentView[]> {
    return this.troubles.openOnes(wanted);
  }

  resolveIncident(id: number, by: string, note: string): Promise<Result<IncidentView, Problem>> {
    return new ResolveIncident(this.db, this.deps.clock).run(id, by, note);
  }

  async close(): Promise<void> {
    await this.writer.drain();
    await this.db.close();
  }

  private snapshot<T>(read: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.db.inTransaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only');
      return read(tx);
    });
  }
}
