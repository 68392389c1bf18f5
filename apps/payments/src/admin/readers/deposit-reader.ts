import { Inject, Injectable } from '@nestjs/common';
import { formatDecimal } from '@vuka/domain';
import { Database, type Queryable } from '@vuka/persistence';

import { USED_SQL } from '../../value/index.js';
import { timeOf, timeOrNull } from './view-values.js';
import type { DepositRefundView, DepositView, MoneyView, OpenRefundView, PayView, UnappliedView } from './views.js';

interface DepositRow {
  deposit_id: string;
  asset: string;
  decimals: number;
  received_minor: string;
  used_minor: string;
  rate: string;
  state: DepositView['state'];
  is_main: boolean;
  created_at: Date;
  refund_id: string | null;
  refund_state: DepositRefundView['state'];
  refund_address: string;
  refund_hash: string | null;
  refund_failure: string | null;
}

interface OpenRow extends UnappliedRow {
  updated_at: Date;
}

interface UnappliedRow extends DepositRow {
  transaction_id: string;
  transaction_code: string;
  partner_id: number;
  failure_code: string | null;
  is_orders: boolean;
}

interface PayRow {
  chain: string;
  transaction_hash: string;
  asset: string | null;
  quote_id: string | null;
  refund_address: string | null;
  released_at: Date | null;
}

/** Per transaction. */
const MOST_OF_ONE = 100;
const COLUMNS = `d.deposit_id::text as deposit_id, d.asset, d.decimals, d.received_minor::text as received_minor, ${USED_SQL}::text as used_minor, d.rate::text as rate, d.state, d.is_main, d.created_at,
  f.refund_id::text as refund_id, f.state as refund_state, f.address as refund_address, f.transaction_hash as refund_hash, f.failure as refund_failure`;
const NEWEST_REFUND =
  'left join lateral (select * from refunds r where r.deposit_id = d.deposit_id order by r.refund_id desc limit 1) f on true';
/** Without a transaction: an order that was not credited. */
const CODE_SQL = "coalesce(t.transaction_code, 'order ' || d.transaction_id)";
const IS_ORDERS_SQL = "(t.id is null or t.operation = 'checkout')";
const NOT_ASKED_FOR = 'arrived in addition to the deposit of its pay, above its quote, or too late';

const NOT_USED = 'its order has not used it, or only a part of it';

@Injectable()
export class DepositReader {
  constructor(@Inject(Database) private readonly db: Queryable) {}

  async payOf(transactionId: number): Promise<PayView | null> {
    const [row] = await this.db.query<PayRow>(
      'select chain, transaction_hash, asset, quote_id::text as quote_id, refund_address, released_at from pays where transaction_id = $1',
      [transactionId],
    );
    return row === undefined ? null : { ...row, released_at: timeOrNull(row.released_at) };
  }

  async depositsOf(transactionId: number): Promise<DepositView[]> {
    const rows = await this.db.query<DepositRow>(
      `select ${COLUMNS} from deposits d ${NEWEST_REFUND} where d.transaction_id = $1 order by not d.is_main, d.deposit_id limit ${MOST_OF_ONE}`,
      [transactionId],
    );
    return rows.map(deposit);
  }

  /** Value that waits for its partner or refund, oldest first. */
  async unapplied(limit: number): Promise<UnappliedView[]> {
    const rows = await this.db.query<UnappliedRow>(
      `select ${COLUMNS}, d.transaction_id::text as transaction_id, ${CODE_SQL} as transaction_code, d.partner_id, t.failure_code, ${IS_ORDERS_SQL} as is_orders
         from deposits d left join transactions t on t.id = d.transaction_id ${NEWEST_REFUND} where d.state in ('unapplied', 'refunding') order by d.created_at, d.deposit_id limit $1`,
      [limit],
    );
    return rows.map((row) => ({
      ...deposit(row),
      received: tokens(BigInt(row.received_minor) - BigInt(row.used_minor), row),
      transaction_id: Number(row.transaction_id),
      transaction_code: row.transaction_code,
      partner_id: row.partner_id,
      why: whyOf(row),
    }));
  }

  /** Oldest first. */
  async openRefunds(limit: number): Promise<OpenRefundView[]> {
    const rows = await this.db.query<OpenRow>(
      `select d.deposit_id::text as deposit_id, f.asset, f.decimals, f.amount_minor::text as received_minor, 0::text as used_minor, d.rate::text as rate, d.state, d.is_main, f.created_at, f.updated_at,
              f.refund_id::text as refund_id, f.state as refund_state, f.address as refund_address, f.transaction_hash as refund_hash, f.failure as refund_failure,
              d.transaction_id::text as transaction_id, ${CODE_SQL} as transaction_code, d.partner_id, t.failure_code, ${IS_ORDERS_SQL} as is_orders
         from refunds f join deposits d on d.deposit_id = f.deposit_id left join transactions t on t.id = f.transaction_id
        where f.state in ('HELD', 'GRANTED', 'SIGNED', 'BROADCAST') order by f.created_at, f.refund_id limit $1`,
      [limit],
    );
    return rows.flatMap((row) => {
      const refund = refundOf(row);
      if (!refund) return [];
      const { deposit_id, received, at } = deposit(row);
      return [
        {
          ...refund,
          deposit_id,
          value: received,
          created_at: at,
          updated_at: timeOf(row.updated_at),
          transaction_id: Number(row.transaction_id),
          transaction_code: row.transaction_code,
          partner_id: row.partner_id,
        },
      ];
    });
  }
}

function refundOf(row: DepositRow): DepositRefundView | null {
  return row.refund_id === null
    ? null
    : {
        refund_id: Number(row.refund_id),
        state: row.refund_state,
        address: row.refund_address,
        transaction_hash: row.refund_hash,
        failure: row.refund_failure,
      };
}

function whyOf({ state, is_main, is_orders, failure_code, refund_id, refund_failure }: UnappliedRow): string {
  if (state === 'refunding')
    return `to be sent back${refund_id === null ? '' : `, refund ${refund_id}`}: ${is_orders ? NOT_USED : (failure_code ?? '')}`;
  const why = is_main ? (failure_code ?? '') : is_orders ? NOT_USED : NOT_ASKED_FOR;
  return refund_failure === null ? why : `${why}; refund ${refund_id} failed: ${refund_failure}`;
}

function tokens(minor: bigint, { decimals, asset }: DepositRow): MoneyView {
  return { amount: formatDecimal(minor, decimals), currency: asset };
}

function deposit(row: DepositRow): DepositView {
  return {
    deposit_id: Number(row.deposit_id),
    received: tokens(BigInt(row.received_minor), row),
    ...(BigInt(row.used_minor) === 0n ? {} : { used: tokens(BigInt(row.used_minor), row) }),
    rate: row.rate,
    state: row.state,
    refund: refundOf(row),
    at: timeOf(row.created_at),
  };
}
