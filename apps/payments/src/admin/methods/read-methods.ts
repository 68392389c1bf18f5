import { Injectable } from '@nestjs/common';
import { partnerIdGiven as partnerId, reads } from '@vuka/contracts';
import { z } from 'zod';

import { DepositRecords } from '../deposit-records.js';
import { PaymentReports } from '../payment-reports.js';
import { ProviderBalances } from '../provider-balances.js';
import { DepositReader } from '../readers/deposit-reader.js';
import { MoneyTroubleReader } from '../readers/money-trouble-reader.js';
import { TransactionFinder } from '../readers/transaction-finder.js';

const number = z.int().positive();
/** Never read a whole table into memory. */
const most = number.max(500);
const recordsAtOnce = number.max(5_000);
const MOST_NAMED = 500;
/** offramp's page. */
const MOST_ASKED = 10_000;

@Injectable()
export class ReadMethods {
  constructor(
    private readonly reports: PaymentReports,
    private readonly finder: TransactionFinder,
    private readonly deposits: DepositReader,
    private readonly troubles: MoneyTroubleReader,
    private readonly providers: ProviderBalances,
    private readonly records: DepositRecords,
  ) {}

  readonly methods = {
    find: reads([z.string().min(1).max(100), partnerId.nullable()], (codeOrId, ofPartner) =>
      this.finder.find(codeOrId, ofPartner),
    ),
    codesOf: reads([z.array(number).max(1_000)], (ids) => this.reports.codesOf(ids)),
    report: reads([number], (transactionId) => this.reports.report(transactionId)),
    stuck: reads([], () => this.reports.stuck()),
    ledger: reads([], () => this.reports.ledger()),
    chainAccounts: reads(
      [z.object({ deposits: z.array(number).max(MOST_ASKED), refunds: z.array(number).max(MOST_ASKED) })],
      (asked) => this.reports.chainAccounts(asked),
    ),
    providerBalances: reads([], () => this.providers.read()),
    /** Compared with offramp's. */
    depositsAfter: reads([z.int().nonnegative(), recordsAtOnce], (id, limit) => this.records.after(id, limit)),
    depositsNamed: reads([z.array(number).max(MOST_NAMED)], (ids) => this.records.named(ids)),
    unapplied: reads([most], (limit) => this.deposits.unapplied(limit)),
    openRefunds: reads([most], (limit) => this.deposits.openRefunds(limit)),
    settlement: reads([number], (id) => this.troubles.settlementById(id)),
    incidents: reads(
      [z.object({ partnerId: partnerId.optional(), before: number.optional(), limit: z.int().min(1).max(500) })],
      (wanted) => this.troubles.openOnes(wanted),
    ),
  };
}
