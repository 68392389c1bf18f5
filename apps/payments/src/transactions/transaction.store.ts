import { Inject, Injectable } from '@nestjs/common';
import type { PayoutOperation } from '@vuka/contracts';
import { type TransactionState, decodeMoney, type Deposit } from '@vuka/domain';
import { Database, type Queryable } from '@vuka/persistence';

import {
  SNAPSHOT,
  SNAPSHOT_JOINS,
  toSnapshot,
  type TransactionRow,
  type TransactionSnapshot,
} from './transaction-snapshot.js';

export { PAYMENT_STANDS_SQL, type JudgedDeposit, type TransactionSnapshot } from './transaction-snapshot.js';

export interface TransactionPlace {
  /** As text: a Date would cut microseconds, and pages would lose rows. */
  readonly createdAt: string;
  readonly id: string;
}

export interface TransactionQuery {
  readonly partnerId: number;
  /** null = any. */
  readonly currencies: readonly string[] | null;
  readonly states: readonly TransactionState[] | null;
  /** Inclusive. */
  readonly from: string;
  /** Older than this place. */
  readonly behind: TransactionPlace;
  readonly limit: number;
}

const PAGE_SQL = `
select ${SNAPSHOT}, to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place
  from (select * from transactions
         where partner_id = $1 and (created_at, id) < ($2::timestamptz, $3::bigint) and created_at >= $4
           and ($5::text[] is null or currency = any($5)) and ($6::text[] is null or state = any($6))
         order by created_at desc, id desc limit $7) t ${SNAPSHOT_JOINS}
 order by t.created_at desc, t.id desc`;

/** Only CommitWriter writes states and money. */
@Injectable()
export class TransactionStore {
  constructor(@Inject(Database) private readonly db: Queryable) {}

  async byId(id: number): Promise<TransactionSnapshot | undefined> {
    const rows = await this.db.query<TransactionRow>(
      `select ${SNAPSHOT} from transactions t ${SNAPSHOT_JOINS} where t.id = $1`,
      [id],
      {
        name: 'transaction_by_id',
      },
    );
    return rows[0] && toSnapshot(rows[0]);
  }

  async byCode(partnerId: number, transactionCode: string): Promise<TransactionSnapshot | undefined> {
    const rows = await this.db.query<TransactionRow>(
      `select ${SNAPSHOT} from transaction_keys k join transactions t on t.id = k.transaction_id ${SNAPSHOT_JOINS}
        where k.partner_id = $1 and k.reference = $2`,
      [partnerId, transactionCode],
      { name: 'transaction_by_code' },
    );
    return rows[0] && toSnapshot(rows[0]);
  }

  /** Spellings of one hash. A claim still held comes first, then the newest. */
  async byHash(partnerId: number, hashes: readonly string[]): Promise<TransactionSnapshot | undefined> {
    const rows = await this.db.query<TransactionRow>(
      `select ${SNAPSHOT} from (select transaction_id from (
           select transaction_id, released_at is not null as released from pays where partner_id = $1 and transaction_hash = any ($2)
           union all
           select v.transaction_id, false from deposits v join order_credits oc on oc.transaction_id = v.transaction_id
            where v.partner_id = $1 and v.transaction_hash = any ($2) and exists (select from postings q where q.reference = 'order-settled:' || v.deposit_id)) named
                                 order by released, transaction_id desc limit 1) claim
         join transactions t on t.id = claim.transaction_id ${SNAPSHOT_JOINS}`,
      [partnerId, hashes],
      { name: 'transaction_by_hash' },
    );
    return rows[0] && toSnapshot(rows[0]);
  }

  async acceptedUnder(
    partnerId: number,
    reference: string,
  ): Promise<{ transactionId: number; operation: PayoutOperation; fingerprint: string } | undefined> {
    const rows = await this.db.query<{ id: string; operation: PayoutOperation; fingerprint: string }>(
      'select t.id, t.operation, k.fingerprint from transaction_keys k join transactions t on t.id = k.transaction_id where k.partner_id = $1 and k.reference = $2',
      [partnerId, reference],
      { name: 'accepted_under' },
    );
    return (
      rows[0] && { transactionId: Number(rows[0].id), operation: rows[0].operation, fingerprint: rows[0].fingerprint }
    );
  }

  async page({
    partnerId,
    currencies,
    states,
    from,
    behind,
    limit,
  }: TransactionQuery): Promise<{ snapshot: TransactionSnapshot; place: TransactionPlace }[]> {
    const rows = await this.db.query<TransactionRow & { place: string }>(
      PAGE_SQL,
      [partnerId, behind.createdAt, behind.id, from, currencies, states, limit],
      {
        name: 'transactions_page',
      },
    );
    return rows.map((row) => ({ snapshot: toSnapshot(row), place: { createdAt: row.place, id: row.id } }));
  }

  /** Claims nothing: the commit's compare-and-set decides. */
  async dueForStart(now: Date, limit: number): Promise<TransactionSnapshot[]> {
    const rows = await this.db.query<TransactionRow>(
      `select ${SNAPSHOT} from transactions t ${SNAPSHOT_JOINS} where t.due_at <= $1 order by t.due_at limit $2`,
      [now, limit],
      { name: 'transactions_due' },
    );
    return rows.map(toSnapshot);
  }

  /** Same token and transfer as the main deposit. */
  async beyondQuote(id: number): Promise<Deposit[]> {
    const rows = await this.db.query<{
      deposit_id: string;
      chain: string;
      asset: string;
      decimals: number;
      received_minor: string;
    }>(
      `select d.deposit_id::text as deposit_id, d.chain, d.asset, d.decimals, d.received_minor::text as received_minor
         from deposits d join deposits v on v.transaction_id = d.transaction_id and v.is_main and v.asset = d.asset and v.transaction_hash = d.transaction_hash
        where d.transaction_id = $1 and not d.is_main and d.state = 'unapplied' order by d.deposit_id`,
      [id],
      { name: 'deposits_beyond_quote' },
    );
    return rows.map((row) => ({
      depositId: Number(row.deposit_id),
      chain: row.chain,
      received: decodeMoney(row.received_minor, row.asset),
      decimals: row.decimals,
    }));
  }

  /** Resolves false if the transaction has changed since. */
  async postpone(snapshot: TransactionSnapshot, dueAt: Date): Promise<boolean> {
    const rows = await this.db.query(
      `update transactions set due_at = $3 where id = $1 and sequence = $2 and due_at is not null returning id`,
      [snapshot.details.id, snapshot.life.sequence, dueAt],
    );
    return rows.length > 0;
  }

  /** Makes due what a freeze or suspension left in QUEUED. Resolves with the count. */
  async wakeStopped(partnerId: number, now: Date, limit: number): Promise<number> {
    const rows = await this.db.query(
      `update transactions t set due_at = $2 from (
         select id from transactions where partner_id = $1 and due_at > $2 and state = 'QUEUED' and park_deadline is null
          order by due_at limit $3 for no key update skip locked) w
        where t.id = w.id returning t.id`,
      [partnerId, now, limit],
    );
    return rows.length;
  }

  async wake(id: number, now: Date): Promise<boolean> {
    const rows = await this.db.query(
      `update transactions set due_at = $2 where id = $1 and state = 'QUEUED' and due_at > $2 returning id`,
      [id, now],
    );
    return rows.length > 0;
  }
}
