import { Inject, Injectable } from '@nestjs/common';
import { decodeDeposit, encodeDeposit, type DepositFacts } from '@vuka/contracts';
import {
  decodeMoney,
  encodeMinor,
  type ArrivedDeposit,
  type Money,
  type OrderDeposit as JudgedDeposit,
  type OrderUse,
} from '@vuka/domain';
import { Database, type Queryable } from '@vuka/persistence';

import type { Order } from './order.store.js';

/** One token of one transfer. */
export interface OrderDeposit extends JudgedDeposit {
  /** Assigned by offramp. */
  readonly claimId: number;
  readonly decimals: number;
  readonly transactionHash: string;
  /** null: not final. */
  readonly arrived: ArrivedDeposit | null;
  /** In the order's currency. null: not settled yet. */
  readonly credited: Money | null;
}

export interface ToldDeposit extends Omit<OrderDeposit, 'used' | 'credited'> {
  readonly orderNumber: number;
  /** Of the event. */
  readonly sequence: number;
  readonly firstSeenAt: Date;
}

interface Row extends Omit<OrderDeposit, 'depositId' | 'claimId' | 'received' | 'used' | 'credited' | 'arrived'> {
  readonly asset: string;
  readonly facts: DepositFacts | null;
  readonly depositId: string;
  readonly claimId: string;
  readonly receivedMinor: string;
  readonly usedMinor: string | null;
  readonly creditedMinor: string | null;
}

const SELECT = `claim_id as "claimId", asset, deposit_id as "depositId", chain, decimals, received_minor as "receivedMinor", transaction_hash as "transactionHash",
  block_time as "blockTime", state, facts, used_minor as "usedMinor", credited_minor as "creditedMinor"`;

const TELL = `insert into order_deposits
  (order_number, claim_id, asset, deposit_id, chain, decimals, received_minor, transaction_hash, block_time, state, facts, sequence, first_seen_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  on conflict on constraint order_deposits_pk do update set
    decimals = excluded.decimals, received_minor = excluded.received_minor, transaction_hash = excluded.transaction_hash, block_time = excluded.block_time,
    state = excluded.state, facts = excluded.facts, sequence = excluded.sequence, updated_at = excluded.updated_at
  where order_deposits.sequence < excluded.sequence`;

/** Deposit id of what is not final. */
const NOT_FINAL = 0;

@Injectable()
export class OrderDepositStore {
  public constructor(@Inject(Database) private readonly db: Queryable) {}

  /** By block time; includes those that are gone. */
  public async of({ orderNumber, amount }: Pick<Order, 'orderNumber' | 'amount'>): Promise<OrderDeposit[]> {
    const rows = await this.db.query<Row>(
      `select ${SELECT} from order_deposits where order_number = $1 order by block_time, deposit_id, claim_id, asset`,
      [orderNumber],
      { name: 'order_deposits_of' },
    );
    return rows.map((row) => depositOf(row, amount.currency));
  }

  /** Ignored if something newer is known. */
  public async tell(told: ToldDeposit, now: Date): Promise<void> {
    const {
      orderNumber,
      claimId,
      depositId,
      chain,
      decimals,
      received,
      transactionHash,
      blockTime,
      state,
      arrived,
      sequence,
      firstSeenAt,
    } = told;
    await this.db.query(
      TELL,
      [
        orderNumber,
        claimId,
        received.currency,
        depositId ?? NOT_FINAL,
        chain,
        decimals,
        encodeMinor(received),
        transactionHash,
        blockTime,
        state,
        arrived === null ? null : JSON.stringify(encodeDeposit(arrived)),
        sequence,
        firstSeenAt,
        now,
      ],
      { name: 'order_deposits_tell' },
    );
  }

  /** Sequence of the newest event; 0: none. */
  public async newestWord(orderNumber: number, claimId: number): Promise<number> {
    const [row] = await this.db.query<{ sequence: number }>(
      'select sequence from claim_words where order_number = $1 and claim_id = $2',
      [orderNumber, claimId],
      { name: 'claim_words_newest' },
    );
    return row?.sequence ?? 0;
  }

  public async noteWord(orderNumber: number, claimId: number, sequence: number): Promise<void> {
    await this.db.query(
      `insert into claim_words (order_number, claim_id, sequence) values ($1, $2, $3)
       on conflict on constraint claim_words_pk do update set sequence = greatest(claim_words.sequence, excluded.sequence)`,
      [orderNumber, claimId, sequence],
      { name: 'claim_words_note' },
    );
  }

  /** Marks what was seen before `sequence` as gone. */
  public async gone(orderNumber: number, claimId: number, sequence: number, now: Date): Promise<void> {
    await this.db.query(
      `update order_deposits set state = 'gone', sequence = $3, updated_at = $4
       where order_number = $1 and claim_id = $2 and deposit_id = ${String(NOT_FINAL)} and sequence < $3`,
      [orderNumber, claimId, sequence, now],
      { name: 'order_deposits_gone' },
    );
  }

  /** Deletes what was seen before `sequence`. Returns when it was first seen; null: never. */
  public async replaceSeen(orderNumber: number, claimId: number, sequence: number): Promise<Date | null> {
    const rows = await this.db.query<{ firstSeenAt: Date }>(
      `delete from order_deposits where order_number = $1 and claim_id = $2 and deposit_id = ${String(NOT_FINAL)} and sequence < $3 returning first_seen_at as "firstSeenAt"`,
      [orderNumber, claimId, sequence],
      { name: 'order_deposits_replace_seen' },
    );
    return rows.map(({ firstSeenAt }) => firstSeenAt).sort((one, other) => one.getTime() - other.getTime())[0] ?? null;
  }

  public async settle(orderNumber: number, settled: readonly OrderUse[], now: Date): Promise<void> {
    await this.db.query(
      `update order_deposits set used_minor = settled.used, credited_minor = settled.credited, updated_at = $5
       from unnest($2::bigint[], $3::numeric[], $4::numeric[]) as settled (deposit_id, used, credited)
       where order_number = $1 and order_deposits.deposit_id = settled.deposit_id`,
      [
        orderNumber,
        settled.map(({ depositId }) => depositId),
        settled.map(({ used }) => encodeMinor(used)),
        settled.map(({ credited }) => encodeMinor(credited)),
        now,
      ],
      { name: 'order_deposits_settle' },
    );
  }
}

function depositOf(
  { depositId, claimId, asset, receivedMinor, usedMinor, creditedMinor, facts, ...rest }: Row,
  currency: string,
): OrderDeposit {
  return {
    ...rest,
    depositId: Number(depositId) === NOT_FINAL ? null : Number(depositId),
    claimId: Number(claimId),
    received: decodeMoney(receivedMinor, asset),
    used: usedMinor === null ? null : decodeMoney(usedMinor, asset),
    credited: creditedMinor === null ? null : decodeMoney(creditedMinor, currency),
    arrived: facts && decodeDeposit(facts),
  };
}
