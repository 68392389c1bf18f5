import { Inject, Injectable } from '@nestjs/common';
import { Database, type Transaction } from '@vuka/persistence';
import type { Clock } from '@vuka/runtime';
import { PAYOUT_PROVIDER_IDS, CLOCK } from '@vuka/service-host';

import { checkLedger, type LedgerReport } from '../ledger/index.js';
import { DestinationVault } from '../transactions/index.js';
import { chainAccounts, type ChainAccountsView, type ChainQuestion } from './chain-accounts.js';
import { MoneyTroubleReader } from './readers/money-trouble-reader.js';
import { StuckReader } from './readers/stuck-reader.js';
import { TransactionLifeReader } from './readers/transaction-life-reader.js';
import { moneyOf } from './readers/view-values.js';
import type { MoneyView, StuckReport, TransactionReport } from './readers/views.js';

export interface LedgerView {
  readonly ok: boolean;
  readonly checks: LedgerReport['checks'];
  readonly balances: readonly { readonly account: string; readonly balance: MoneyView }[];
}

/** Each read in one snapshot. */
@Injectable()
export class PaymentReports {
  constructor(
    private readonly db: Database,
    private readonly vault: DestinationVault,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PAYOUT_PROVIDER_IDS) private readonly providerIds: readonly string[],
  ) {}

  async codesOf(ids: readonly number[]): Promise<Map<number, string>> {
    const rows = await this.db.query<{ id: string; transaction_code: string }>(
      'select id::text as id, transaction_code from transactions where id = any ($1::bigint[])',
      [ids],
    );
    return new Map(rows.map((row) => [Number(row.id), row.transaction_code]));
  }

  report(transactionId: number): Promise<TransactionReport | undefined> {
    return this.snapshot((tx) =>
      new TransactionLifeReader(tx, this.vault, new MoneyTroubleReader(tx)).read(transactionId),
    );
  }

  stuck(): Promise<StuckReport> {
    return this.snapshot((tx) => new StuckReader(tx, new MoneyTroubleReader(tx), this.clock, this.providerIds).read());
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

  private snapshot<T>(read: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.db.inTransaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read, read only');
      return read(tx);
    });
  }
}
