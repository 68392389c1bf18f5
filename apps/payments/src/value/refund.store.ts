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

/** A refund as the ledger has it, with its deposit. */
export interface KeptRefund extends NewRefund {
  readonly state: RefundState;
  readonly transactionHash: string | null;
  /** Why it FAILED. */
  readonly failure: string | null;
  /** The newest of offramp's events that was handled; 0: none. */
  readonly toldSequence: number;
  readonly depositState: DepositState;
  /** Of the deposit: fiat per whole token. */
  readonly rate: string;
  /** Of the transaction: what wallet its value is worth something in. */
  readonly currency: string;
  readonly transactionState: TransactionState;
  /** What an order was credited for its deposit; null where none was. */
  readonly share: OrderShare | null;
}

/** A deposit that came by a transfer, with its newest refund. */
export interface TransferredDeposit {
  readonly depositId: number;
  readonly transactionId: number;
  /** null: its order was not credited, and has no transaction. */
  readonly transactionCode: string | null;
  /** Of its token. */
  readonly decimals: number;
  /** What no order has used of it. */
  readonly waiting: Money;
  readonly state: DepositState;
  readonly refund: KeptRefund | null;
}

/** How long after its "not paid" each provider may still be wrong. */
export interface SafeAfter {
  readonly byProvider: ReadonlyMap<string, number>;
  /** Of a provider that is not named. */
  readonly otherwiseMs: number;
}

/** A refund that may be granted now, with the trace of the request it goes back to. */
export interface GrantableRefund {
  readonly refundId: number;
  readonly partnerId: number;
  readonly transactionId: number;
  readonly requestId: string;
  readonly traceparent: string;
}

/** What a transfer came for, in part or in whole: a pay, or an order. */
export interface TransferPurpose {
  readonly transactionId: number;
  /** null: an order that was not credited. */
  readonly transactionCode: string | null;
  /** The partner's; null: a pay, or an order that has not ended. */
  readonly orderId: string | null;
  /** Some of it is unapplied, also where it is too little to be sent. */
  readonly waits: boolean;
  /** Some of it is being sent back, or was. */
  readonly goesBack: boolean;
  /** Some of it waits for the end of its order. */
  readonly isOrdered: boolean;
}

/** Which transfer, and which of what it came for where that is said. */
export interface TransferName {
  readonly partnerId: number;
  readonly chain: string;
  /** Canonical. */
  readonly transactionHash: string;
  readonly orderId: string | null;
  /** A transaction_code. */
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
/** An order that was credited nothing has no transaction. */
const OF_WHAT = `left join transactions t on t.id = d.transaction_id left join orders o on o.order_number = d.transaction_id ${SHARE_JOIN}`;

/** Of deposit d: that it came by the transfer, that this partner claimed it by that, or that it was found under another of its names. */
const BY_TRANSFER = `d.partner_id = $1 and d.chain = $2 and (d.transaction_hash = $3 or d.transaction_id = any (array(
  select y.transaction_id from pays y where y.partner_id = $1 and y.chain = $2 and y.transaction_hash = $3)))`;

/**
 * HELD, and nothing speaks against it. Value that was used for nothing has no payout to wait for. A failed pay's waits for what each of its providers
 * names, and for people where a provider has said of it what contradicts "not paid". Of a partner that owes, or is stopped, nothing is granted: this is the
 * last moment before value leaves.
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

/** What one transfer brings is a handful. */
const MOST_OF_ONE = 100;
/** Purposes of one transfer that are told of; one more says that there are others. */
export const MOST_PURPOSES = 20;

/** Reads of refunds. They are written in the commit that moves their value, by CommitWriter alone. */
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

  /** What a transfer came for, of this partner: what waits first, then what goes back. */
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

  /**
   * What a transfer brought for one purpose: first what waits, so that nothing that does is beyond the page, of that what the transaction was judged
   * by, and then what is worth most.
   */
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

  /** Those that wait for their grant and may have it at `now`, the oldest first. */
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
   * Within a transaction: whether it may be granted, by what is committed now. News of its payout and debts of its partner wait from here until that transaction ends,
   * because it locks what their moves lock, and in their order. Freezes and suspensions do not wait: one that commits later came after the grant.
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

  /** Where the partner has its money sent when it names no address; null where nothing is registered. */
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
