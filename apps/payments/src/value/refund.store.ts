import { Inject, Injectable } from '@nestjs/common';
import {
  type ChainFamily,
  type RefundOrigin,
  type RefundState,
  type TransactionState,
  decodeMoney,
  type Money,
} from '@vuka/domain';
import { Database, type Queryable } from '@vuka/persistence';

import { CONTRADICTS, HELD_BACK_SQL } from '../transactions/index.js';
import { SHARE_JOIN, shareOf, type OrderShare, type ShareRow } from './deposit.store.js';
import type { DepositState, NewRefund } from '../commit/index.js';
import { RefundGroundStore } from './refund-ground.store.js';

export interface KeptRefund extends NewRefund {
  readonly state: RefundState;
  readonly transactionHash: string | null;
  readonly failure: string | null;
  readonly toldSequence: number;
  readonly depositState: DepositState;
  /** Fiat per whole token. */
  readonly rate: string;
  readonly currency: string;
  readonly transactionState: TransactionState;
  readonly share: OrderShare | null;
}

export interface TransferredDeposit {
  readonly depositId: number;
  readonly transactionId: number;
  readonly transactionCode: string | null;
  readonly decimals: number;
  readonly waiting: Money;
  readonly state: DepositState;
  readonly refund: KeptRefund | null;
}

/** ms after "not paid" in which a provider may still pay. */
export interface SafeAfter {
  readonly byProvider: ReadonlyMap<string, number>;
  /** For others. */
  readonly otherwiseMs: number;
}

export interface GrantableRefund {
  readonly refundId: number;
  readonly partnerId: number;
  readonly transactionId: number;
  readonly requestId: string;
  readonly traceparent: string;
}

export interface TransferPurpose {
  readonly transactionId: number;
  /** null: the order was not credited. */
  readonly transactionCode: string | null;
  /** null: a pay, or an order that has not ended. */
  readonly orderId: string | null;
  /** Even if too little to send. */
  readonly waits: boolean;
  readonly goesBack: boolean;
  readonly isOrdered: boolean;
}

export interface TransferName {
  readonly partnerId: number;
  readonly chain: string;
  readonly transactionHash: string;
  readonly orderId: string | null;
  readonly reference: string | null;
}

interface PurposeRow extends Record<string, unknown> {
  transaction_id: string;
  transaction_code: string | null;
  order_id: string | null;
  waits: boolean;
  goes_back: boolean;
  is_ordered: boolean;
}

interface RefundRow extends ShareRow {
  refund_id: string;
  partner_id: number;
  transaction_id: string;
  deposit_id: string;
  chain: string;
  asset: string;
  decimals: number;
  amount_minor: string;
  address: string;
  origin: RefundOrigin;
  state: RefundState;
  transaction_hash: string | null;
  failure: string | null;
  told_sequence: number;
  deposit_state: DepositState;
  rate: string;
  currency: string;
  transaction_state: TransactionState;
}

interface TransferredRow {
  of_deposit: string;
  of_transaction: string;
  transaction_code: string | null;
  deposit_asset: string;
  deposit_decimals: number;
  waiting_minor: string;
  deposit_now: DepositState;
}

const REFUND = `f.refund_id::text as refund_id, f.partner_id, f.transaction_id::text as transaction_id, f.deposit_id::text as deposit_id, f.chain, f.asset, f.decimals,
  f.amount_minor::text as amount_minor, f.address, f.origin, f.state, f.transaction_hash, f.failure, f.told_sequence,
  d.state as deposit_state, d.rate::text as rate, coalesce(t.currency, o.currency) as currency, coalesce(t.state, 'FAILED') as transaction_state,
  u.used_minor, u.share_currency, u.share_minor, o.currency as order_currency`;
const OF_WHAT = `left join transactions t on t.id = d.transaction_id left join orders o on o.order_number = d.transaction_id ${SHARE_JOIN}`;

/** Its transfer, or the hash its pay claimed. */
const BY_TRANSFER = `d.partner_id = $1 and d.chain = $2 and (d.transaction_hash = $3 or d.transaction_id = any (array(
  select y.transaction_id from pays y where y.partner_id = $1 and y.chain = $2 and y.transaction_hash = $3)))`;

/**
 * The last check before value leaves. A failed pay's refund waits as long as a provider may still pay, and while
 * one contradicts "not paid". A partner that owes or is stopped gets nothing.
 */
const GRANTABLE = `f.state = 'HELD' and (f.origin = 'unapplied_refund_held' or not exists (
         select from attempts a left join unnest($2::text[], $3::bigint[]) as p(provider, ms) on p.provider = a.provider
          where a.transaction_id = f.transaction_id and f.created_at + coalesce(p.ms, $4::bigint) * interval '1 millisecond' > $1)
       and not exists (
         select from incidents i where i.transaction_id = f.transaction_id and ${CONTRADICTS}))
   and f.partner_id not in (${HELD_BACK_SQL})`;
const GRANTABLE_SQL = `
select f.refund_id::text as refund_id, f.partner_id, f.transaction_id::text as transaction_id, coalesce(t.request_id, '') as request_id, coalesce(t.traceparent, '') as traceparent
  from refunds f left join transactions t on t.id = f.transaction_id
 where ${GRANTABLE} order by f.created_at, f.refund_id limit $5`;
const STILL_GRANTABLE_SQL = `select from refunds f where ${GRANTABLE} and f.refund_id = $5`;

const MOST_OF_ONE = 100;
export const MOST_PURPOSES = 20;

@Injectable()
export class RefundStore {
  readonly grounds: RefundGroundStore;

  constructor(@Inject(Database) private readonly db: Queryable) {
    this.grounds = new RefundGroundStore(db);
  }

  async byId(refundId: number): Promise<KeptRefund | undefined> {
    const [row] = await this.db.query<RefundRow>(
      `select ${REFUND} from refunds f join deposits d on d.deposit_id = f.deposit_id ${OF_WHAT} where f.refund_id = $1`,
      [refundId],
    );
    return row && toRefund(row);
  }

  async purposes({ partnerId, chain, transactionHash, orderId, reference }: TransferName): Promise<TransferPurpose[]> {
    const rows = await this.db.query<PurposeRow>(
      `select d.transaction_id::text as transaction_id, t.transaction_code, o.order_id, bool_or(d.state = 'unapplied') as waits,
              bool_or(d.state in ('refunding', 'refunded')) as goes_back, bool_or(d.state = 'ordered') as is_ordered
         from deposits d left join transactions t on t.id = d.transaction_id left join orders o on o.order_number = d.transaction_id
        where ${BY_TRANSFER} and ($4::text is null or o.order_id = $4) and ($5::text is null or t.transaction_code = $5)
        group by d.transaction_id, t.transaction_code, o.order_id
        order by waits desc, goes_back desc, is_ordered desc, bool_or(d.is_main) desc, d.transaction_id limit ${MOST_PURPOSES + 1}`,
      [partnerId, chain, transactionHash, orderId, reference],
    );
    return rows.map((row) => ({
      transactionId: Number(row.transaction_id),
      transactionCode: row.transaction_code,
      orderId: row.order_id,
      waits: row.waits,
      goesBack: row.goes_back,
      isOrdered: row.is_ordered,
    }));
  }

  /** Waiting ones first, so that none is beyond the page; then the main one, then the largest. */
  async ofTransfer(
    { partnerId, chain, transactionHash }: Omit<TransferName, 'orderId' | 'reference'>,
    transactionId: number,
  ): Promise<TransferredDeposit[]> {
    const rows = await this.db.query<TransferredRow & { [K in keyof RefundRow]: RefundRow[K] | null }>(
      `select d.deposit_id::text as of_deposit, d.transaction_id::text as of_transaction, t.transaction_code, d.asset as deposit_asset, d.decimals as deposit_decimals,
              (d.received_minor - coalesce(u.used_minor, '0')::numeric)::text as waiting_minor, d.state as deposit_now, ${REFUND}
         from deposits d ${OF_WHAT}
         left join lateral (select * from refunds r where r.deposit_id = d.deposit_id order by r.refund_id desc limit 1) f on true
        where ${BY_TRANSFER} and d.transaction_id = $4
        order by d.state <> 'unapplied', not d.is_main, (d.received_minor - coalesce(u.used_minor, '0')::numeric) / 10::numeric ^ d.decimals desc, d.deposit_id limit ${MOST_OF_ONE}`,
      [partnerId, chain, transactionHash, transactionId],
    );
    return rows.map((row) => ({
      depositId: Number(row.of_deposit),
      transactionId: Number(row.of_transaction),
      transactionCode: row.transaction_code,
      decimals: row.deposit_decimals,
      waiting: decodeMoney(row.waiting_minor, row.deposit_asset),
      state: row.deposit_now,
      refund: row.refund_id === null ? null : toRefund(row as RefundRow),
    }));
  }

  async grantable(now: Date, safeAfter: SafeAfter, limit: number): Promise<GrantableRefund[]> {
    const rows = await this.db.query<{
      refund_id: string;
      partner_id: number;
      transaction_id: string;
      request_id: string;
      traceparent: string;
    }>(GRANTABLE_SQL, [...conditions(now, safeAfter), limit], { name: 'refunds_grantable' });
    return rows.map((row) => ({
      refundId: Number(row.refund_id),
      partnerId: row.partner_id,
      transactionId: Number(row.transaction_id),
      requestId: row.request_id,
      traceparent: row.traceparent,
    }));
  }

  /**
   * Within a transaction, on committed data. Takes the locks of payout answers and debts in their order, so those
   * wait. Freezes do not: a later one came after the grant.
   */
  async lockGrantable(
    { refundId, partnerId, transactionId }: Pick<GrantableRefund, 'refundId' | 'partnerId' | 'transactionId'>,
    now: Date,
    safeAfter: SafeAfter,
  ): Promise<boolean> {
    await this.db.query('select from transactions where id = $1 for no key update', [transactionId], {
      name: 'refund_lock_transaction',
    });
    await this.db.query('select from refunds where refund_id = $1 for no key update', [refundId], {
      name: 'refund_lock',
    });
    await this.db.query(
      `select from accounts where partner_id = $1 and kind = 'receivable' order by id for no key update`,
      [partnerId],
      { name: 'refund_lock_debts' },
    );
    // A new statement sees what others committed while we waited.
    const found = await this.db.query(STILL_GRANTABLE_SQL, [...conditions(now, safeAfter), refundId], {
      name: 'refund_still_grantable',
    });
    return found.length > 0;
  }

  async returnAddress(partnerId: number, family: ChainFamily): Promise<string | null> {
    const [row] = await this.db.query<{ address: string | null }>(
      'select address from return_addresses where partner_id = $1 and family = $2 order by id desc limit 1',
      [partnerId, family],
    );
    return row?.address ?? null;
  }
}

function conditions(now: Date, { byProvider, otherwiseMs }: SafeAfter): readonly unknown[] {
  return [now, [...byProvider.keys()], [...byProvider.values()], otherwiseMs];
}

function toRefund(row: RefundRow): KeptRefund {
  return {
    refundId: Number(row.refund_id),
    partnerId: row.partner_id,
    transactionId: Number(row.transaction_id),
    depositId: Number(row.deposit_id),
    chain: row.chain,
    amount: decodeMoney(row.amount_minor, row.asset),
    decimals: row.decimals,
    address: row.address,
    origin: row.origin,
    state: row.state,
    transactionHash: row.transaction_hash,
    failure: row.failure,
    toldSequence: row.told_sequence,
    depositState: row.deposit_state,
    rate: row.rate,
    currency: row.currency,
    transactionState: row.transaction_state,
    share: shareOf(row, row.asset),
  };
}
