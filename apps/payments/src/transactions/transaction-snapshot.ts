import { decodeMoney, subtract, type Money, type RefundState, type TransactionState } from '@vuka/domain';
import type { PayoutDestination } from '@vuka/payouts';

import type { LatePayment } from './status/correction.js';
import type { DepositState, PayDetails, TransactionLife, TransactionDetails, ValuedDeposit } from '../commit/index.js';
import type { OrderCredit } from './order.store.js';
import type { StoredRecipientKey } from './recipient-keys.js';

export interface TransactionSnapshot {
  readonly details: TransactionDetails;
  readonly life: TransactionLife;
  readonly held: Money;
  /** null: the wallet pays. */
  readonly pay: PayDetails | null;
  /** The main deposit; null before it arrived, and for wallets. */
  readonly deposit: JudgedDeposit | null;
  /** Of the newest refund, the main deposit's first. */
  readonly refund: RefundState | null;
  /** Only of the main deposit; null if none is open. */
  readonly liveRefund: { readonly refundId: number; readonly state: RefundState } | null;
  /** FAILED, but paid (payout_settled): known before the refund was granted. */
  readonly paymentStands: boolean;
  /** A payment despite FAILED or REVERSED; the first that stands. */
  readonly latePayment: LatePayment | null;
  /** null: a payout. */
  readonly credit: OrderCredit | null;
  /** For an order's credit: kind `checkout`, and never read. */
  readonly destination: {
    readonly kind: PayoutDestination['kind'];
    readonly bankCode: string;
    readonly bankName: string;
    readonly mobileNetwork: string;
    readonly sealed: string;
    /** null: erased. */
    readonly key: StoredRecipientKey | null;
  };
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface JudgedDeposit extends ValuedDeposit {
  readonly state: DepositState;
  /** The event came; only the state says that the ledger took it back. */
  readonly vanished: boolean;
}

export interface TransactionRow {
  id: string;
  partner_id: number;
  transaction_code: string;
  operation: string;
  currency: string;
  amount_minor: string;
  fee_minor: string;
  service_fee_minor: string;
  callback_url: string | null;
  request_id: string;
  traceparent: string;
  state: TransactionState;
  sequence: number;
  public_sequence: number;
  attempt_no: number;
  paid_attempt_no: number | null;
  message: string;
  failure_code: string | null;
  receipt_number: string | null;
  public_name: string | null;
  due_at: Date | null;
  park_deadline: Date | null;
  created_at: Date;
  updated_at: Date;
  kind: PayoutDestination['kind'];
  bank_code: string;
  bank_name: string;
  mobile_network: string;
  sealed: string;
  sealed_key: string | null;
  held_minor: string | null;
  pay_chain: string | null;
  transaction_hash: string;
  pay_asset: string | null;
  quote_id: string | null;
  refund_address: string | null;
  deposit_id: string | null;
  deposit_chain: string;
  deposit_asset: string;
  decimals: number;
  received_minor: string;
  rate: string;
  shortfall_minor: string;
  quote_passed_over: string | null;
  deposit_state: DepositState;
  deposit_vanished: boolean;
  refund_state: RefundState | null;
  live_refund_id: string | null;
  live_refund_state: RefundState | null;
  payment_stands: boolean;
  order_id: string | null;
  credit_chain: string;
  credit_asset: string;
  credit_hash: string;
  credit_rate: string;
  late_receipt: string | null;
  late_minor: string;
  late_at: Date;
  late_back_at: Date | null;
  late_owed: boolean;
}

/** FAILED transaction t was paid, and that has not come back. */
export const PAYMENT_STANDS_SQL = `(t.state = 'FAILED' and t.paid_attempt_no is not null and not exists (select from postings q where q.reference = 'payout-reversed:' || t.id))`;

export const SNAPSHOT = `t.id, t.partner_id, t.transaction_code, t.operation, t.currency, t.amount_minor::text as amount_minor, t.fee_minor::text as fee_minor,
  t.service_fee_minor::text as service_fee_minor, t.callback_url, t.request_id, t.traceparent, t.state, t.sequence, t.public_sequence,
  t.attempt_no, case when t.state in ('COMPLETE', 'REVERSED') then coalesce(t.paid_attempt_no, t.attempt_no) when t.state = 'FAILED' then t.paid_attempt_no end as paid_attempt_no, t.message, t.failure_code, t.receipt_number, t.public_name, t.due_at, t.park_deadline, t.created_at, t.updated_at,
  d.kind, d.bank_code, d.bank_name, d.mobile_network, d.sealed, nullif(rk.sealed_key, '') as sealed_key, h.amount_minor::text as held_minor,
  y.chain as pay_chain, y.transaction_hash, y.asset as pay_asset, y.quote_id::text as quote_id, y.refund_address,
  v.deposit_id::text as deposit_id, v.chain as deposit_chain, v.asset as deposit_asset, v.decimals, v.received_minor::text as received_minor, v.rate::text as rate,
  v.shortfall_minor::text as shortfall_minor, v.quote_passed_over, v.state as deposit_state, f.state as refund_state, lf.refund_id::text as live_refund_id, lf.state as live_refund_state,
  ${PAYMENT_STANDS_SQL} as payment_stands,
  exists (select from vanished_deposits g where g.deposit_id = v.deposit_id) as deposit_vanished,
  oc.order_id, oc.chain as credit_chain, oc.asset as credit_asset, oc.transaction_hash as credit_hash, oc.rate::text as credit_rate,
  late.receipt_number as late_receipt, late.amount_minor::text as late_minor, late.posted_at as late_at, late.unwound_at as late_back_at, late.owed as late_owed`;
export const SNAPSHOT_JOINS = `join destinations d on d.transaction_id = t.id
  left join recipient_keys rk on rk.id = d.key_id
  left join holds h on h.transaction_id = t.id and h.state = 'open'
  left join pays y on y.transaction_id = t.id
  left join deposits v on v.transaction_id = t.id and v.is_main
  left join refunds lf on lf.deposit_id = v.deposit_id and lf.state <> 'FAILED'
  left join order_credits oc on d.kind = 'checkout' and oc.transaction_id = t.id
  left join lateral (
    select r.state from refunds r where r.transaction_id = t.id order by r.deposit_id is not distinct from v.deposit_id desc, r.refund_id desc limit 1) f on true
  left join lateral (
    select p.receipt_number, p.amount_minor, p.posted_at, p.unwound_at, p.owed from (
      select p.receipt_number, p.amount_minor, p.posted_at, p.unwound_at, p.owed from duplicate_payment p
       where t.state in ('FAILED', 'REVERSED') and p.transaction_id = t.id and p.owed
      -- The one that became known before the refund was granted, which nobody owes.
      union all select t.receipt_number, t.amount_minor - t.fee_minor, q.at, (select back.at from postings back where back.reference = 'payout-reversed:' || t.id), false
        from postings q where t.state = 'FAILED' and t.paid_attempt_no is not null and t.receipt_number is not null and q.reference = 'payout-settled:' || t.id) p
     order by p.unwound_at desc nulls first, p.posted_at, p.receipt_number limit 1) late on true`;

/** Without the partner's markup. */
export const givenOf = ({ amount, fee }: Pick<TransactionDetails, 'amount' | 'fee'>): Money => subtract(amount, fee);

export function toSnapshot(row: TransactionRow): TransactionSnapshot {
  const { currency } = row;
  return {
    details: {
      id: Number(row.id),
      partnerId: row.partner_id,
      transactionCode: row.transaction_code,
      operation: row.operation,
      amount: decodeMoney(row.amount_minor, currency),
      fee: decodeMoney(row.fee_minor, currency),
      serviceFee: decodeMoney(row.service_fee_minor, currency),
      callbackUrl: row.callback_url,
      requestId: row.request_id,
      traceparent: row.traceparent,
    },
    life: {
      state: row.state,
      sequence: row.sequence,
      publicSequence: row.public_sequence,
      attemptNo: row.attempt_no,
      paidAttemptNo: row.paid_attempt_no,
      message: row.message,
      failureCode: row.failure_code,
      receiptNumber: row.receipt_number,
      publicName: row.public_name,
      dueAt: row.due_at,
      parkDeadline: row.park_deadline,
    },
    held: decodeMoney(row.held_minor ?? '0', currency),
    ...depositPartOf(row),
    refund: row.refund_state,
    liveRefund:
      row.live_refund_id === null || row.live_refund_state === null
        ? null
        : { refundId: Number(row.live_refund_id), state: row.live_refund_state },
    paymentStands: row.payment_stands,
    latePayment:
      row.late_receipt === null
        ? null
        : {
            receiptNumber: row.late_receipt,
            amount: decodeMoney(row.late_minor, currency),
            at: row.late_at,
            cameBackAt: row.late_back_at,
            isOwed: row.late_owed,
          },
    credit:
      row.order_id === null
        ? null
        : {
            orderId: row.order_id,
            chain: row.credit_chain,
            asset: row.credit_asset,
            transactionHash: row.credit_hash,
            rate: row.credit_rate,
          },
    destination: {
      kind: row.kind,
      bankCode: row.bank_code,
      bankName: row.bank_name,
      mobileNetwork: row.mobile_network,
      sealed: row.sealed,
      key: row.sealed_key === null ? null : { partnerId: row.partner_id, sealed: row.sealed_key },
    },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function depositPartOf(row: TransactionRow): Pick<TransactionSnapshot, 'pay' | 'deposit'> {
  if (row.pay_chain === null) return { pay: null, deposit: null };
  return {
    pay: {
      chain: row.pay_chain,
      transactionHash: row.transaction_hash,
      asset: row.pay_asset,
      quoteId: row.quote_id,
      refundAddress: row.refund_address,
    },
    deposit:
      row.deposit_id === null
        ? null
        : {
            depositId: Number(row.deposit_id),
            chain: row.deposit_chain,
            received: decodeMoney(row.received_minor, row.deposit_asset),
            decimals: row.decimals,
            rate: row.rate,
            shortfall: decodeMoney(row.shortfall_minor, row.currency),
            quoteNotApplied: row.quote_passed_over,
            state: row.deposit_state,
            vanished: row.deposit_vanished,
          },
  };
}
