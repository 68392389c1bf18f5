import { Inject, Injectable } from '@nestjs/common';
import { decodeMoney, encodeMinor, type Money } from '@vuka/domain';
import { Database, type Transaction } from '@vuka/persistence';
import { type Clock, type Logger, uuidv7 } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { CommitWriter, type FeeOf, feeReference, type PaymentCommit, providerFeePosting } from '../commit/index.js';

/** What the event of an incident about a fee is called. */
const FEE_EVENT = 'provider_fee';

interface AttemptRow {
  currency: string;
  transaction_state: string;
  posted: string | null;
}

/** The fee that goes into the commit of an attempt's first payment; undefined: none. */
export function feeWithPayment(fee: Money | undefined, currency: string): Money | undefined {
  return fee !== undefined && fee.currency === currency && fee.minor > 0n ? fee : undefined;
}

/**
 * Posts what a provider charges for a payment that the ledger has already, once for each attempt. A fee that differs
 * from the posted one, is of another currency or below 0 is an incident and changes nothing: people post the rest
 * (MoveFloat).
 */
@Injectable()
export class ProviderFees {
  constructor(
    private readonly db: Database,
    private readonly writer: CommitWriter,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Does nothing for an attempt that has not paid. */
  async told(of: FeeOf, fee: Money): Promise<void> {
    const isNew = (tx: Transaction): Promise<boolean> => this.isNew(tx, of, fee);
    if (!(await this.db.inTransaction(isNew))) return;
    const kept = await this.writer.commitWhere(isNew, toCommit(of, fee));
    // Another process posted it meanwhile: whether it is the same fee is seen now.
    if (kept?.outcome === 'exists') return void (await this.db.inTransaction(isNew));
    if (kept !== null && kept.outcome !== 'ok')
      throw new Error(`the fee of transaction ${of.transactionId} was answered ${kept.outcome}`);
  }

  /** Who waited for the attempt's lock may still read what was before: the posting's reference is the last guard. */
  private async isNew(tx: Transaction, of: FeeOf, fee: Money): Promise<boolean> {
    const [row] = await tx.query<AttemptRow>(
      `select t.currency, t.state as transaction_state,
          (select sum(e.amount_minor)::text from postings q join entries e on e.posting_id = q.id where q.reference = $3) as posted
         from attempts a join transactions t on t.id = a.transaction_id
        where a.transaction_id = $1 and a.attempt_no = $2 and a.state = 'PAID' for no key update of a`,
      [of.transactionId, of.attemptNo, feeReference(of)],
    );
    if (!row) return false;
    const { currency, posted } = row;
    if (fee.currency !== currency || fee.minor < 0n) {
      await this.openIncident(tx, of, row, `a fee of ${textOf(fee)} for a payment in ${currency}`);
      return false;
    }
    if (posted === null) return fee.minor > 0n;
    if (decodeMoney(posted, currency).minor !== fee.minor)
      await this.openIncident(
        tx,
        of,
        row,
        `a fee of ${textOf(fee)}, and before ${textOf(decodeMoney(posted, currency))}`,
      );
    return false;
  }

  /** The same word again is counted, also on a resolved incident. */
  private async openIncident(tx: Transaction, of: FeeOf, row: AttemptRow, detail: string): Promise<void> {
    const { transactionId, attemptNo, provider } = of;
    const at = this.clock.now();
    const known = await tx.query(
      `update incidents set times = times + 1, last_at = $5
        where transaction_id = $1 and attempt_no = $2 and event = $3 and detail = $4 returning id`,
      [transactionId, attemptNo, FEE_EVENT, detail, at],
    );
    if (known.length > 0) return;
    await tx.query(
      `insert into incidents (transaction_id, attempt_no, state, event, detail, at) values ($1, $2, $3, $4, $5, $6)`,
      [transactionId, attemptNo, row.transaction_state, FEE_EVENT, detail, at],
    );
    this.log.error(
      { code: 'provider_fee_differs', transaction_id: transactionId, attempt_no: attemptNo, provider, detail },
      'a provider tells another fee than the one that is posted: people look',
    );
  }
}

function toCommit(of: FeeOf, fee: Money): PaymentCommit {
  return {
    commitId: uuidv7(),
    transactionId: null,
    expectedSequence: 0,
    transitions: [],
    postings: [{ ...providerFeePosting(of, fee), about: of.transactionId }],
    outbox: [],
  };
}

function textOf(fee: Money): string {
  return `${encodeMinor(fee)} minor units of ${fee.currency}`;
}
