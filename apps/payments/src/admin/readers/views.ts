import type { AttemptState, PublicStatus, TransactionState } from '@vuka/domain';

/**
 * The shapes that `--json` prints: snake case, decimal money, RFC 3339 times, masked numbers. Fields are only
 * added.
 */
export interface MoneyView {
  readonly amount: string;
  readonly currency: string;
}

export interface TransactionSummary {
  readonly id: number;
  readonly transaction_code: string;
  readonly partner_id: number;
  readonly operation: string;
  readonly status: PublicStatus;
  readonly state: TransactionState;
  readonly amount: MoneyView;
  readonly created_at: string;
}

/** At most the last four digits. */
export interface DestinationView {
  readonly kind: string;
  readonly account_number: string | null;
  readonly shortcode: string | null;
  readonly bank_code: string | null;
  readonly bank_name: string | null;
  readonly mobile_network: string | null;
}

export interface TransactionView extends TransactionSummary {
  readonly fee: MoneyView;
  readonly service_fee: MoneyView;
  readonly destination: DestinationView;
  /** The path may hold a token. */
  readonly callback_host: string | null;
  readonly message: string;
  readonly failure_code: string | null;
  readonly receipt_number: string | null;
  readonly recipient_name: string | null;
  readonly request_id: string;
  readonly traceparent: string;
  readonly sequence: number;
  readonly public_sequence: number;
  readonly due_at: string | null;
  readonly park_deadline: string | null;
  readonly updated_at: string;
}

export interface TransitionView {
  readonly sequence: number;
  readonly at: string;
  readonly from: TransactionState | null;
  readonly to: TransactionState;
  readonly event: string;
  readonly attempt_no: number;
  readonly detail: string;
}

export interface AttemptView {
  readonly attempt_no: number;
  readonly provider: string;
  /** The provider's wallet that pays. */
  readonly wallet: string;
  readonly provider_reference: string;
  /** The provider's own id, once told. */
  readonly provider_payment_id: string | null;
  readonly state: AttemptState;
  readonly amount: MoneyView;
  readonly polls: number;
  readonly next_check_at: string | null;
  readonly claimed_until: string | null;
  /** Polled until then, though ended. */
  readonly watched_until: string | null;
  readonly ended_by: string | null;
  readonly receipt_number: string | null;
  readonly detail: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface PostingView {
  readonly reference: string;
  readonly kind: string;
  readonly at: string;
  readonly legs: readonly { readonly from: string; readonly to: string; readonly amount: MoneyView }[];
}

export interface HoldView {
  readonly state: 'open' | 'posted' | 'voided';
  readonly amount: MoneyView;
  readonly opened_at: string;
  readonly closed_at: string | null;
}

export interface DuplicatePaymentView {
  readonly transaction_id: number;
  readonly transaction_code: string;
  readonly partner_id: number;
  readonly attempt_no: number;
  readonly provider: string;
  readonly receipt_number: string;
  readonly amount: MoneyView;
  /** partner: got its money back and owes this. us: we claim it from the provider. */
  readonly owed_by: 'partner' | 'us';
  readonly posted_at: string;
  readonly unwound_at: string | null;
}

export interface IncidentView {
  readonly id: number;
  readonly transaction_id: number;
  readonly transaction_code: string;
  readonly partner_id: number;
  readonly attempt_no: number;
  readonly state: string;
  readonly event: string;
  readonly detail: string;
  readonly times: number;
  readonly at: string;
  readonly last_at: string | null;
  readonly resolved_at: string | null;
  readonly resolved_by: string | null;
  readonly resolution: string | null;
}

export interface SettlementView {
  readonly id: number;
  readonly transaction_id: number;
  /** 0: screening stopped it before an attempt. */
  readonly attempt_no: number;
  readonly outcome: 'paid' | 'not_paid' | 'cleared';
  readonly receipt_number: string | null;
  /** If another amount than ordered. */
  readonly paid: MoneyView | null;
  readonly evidence: string;
  /** `scheduled`: approved; carried out after the call under way. `superseded`: the provider answered first. */
  readonly state: 'proposed' | 'scheduled' | 'approved' | 'superseded' | 'withdrawn';
  readonly proposed_by: string;
  readonly proposed_at: string;
  readonly approved_by: string | null;
  readonly approved_at: string | null;
  readonly executed_at: string | null;
  /** The latest end of the call under way. */
  readonly executes_by: string | null;
  readonly withdrawn_at: string | null;
  readonly superseded_why: string | null;
}

export interface PayView {
  readonly chain: string;
  readonly transaction_hash: string;
  /** null: any. */
  readonly asset: string | null;
  readonly quote_id: string | null;
  readonly refund_address: string | null;
  readonly released_at: string | null;
}

export interface DepositRefundView {
  readonly refund_id: number;
  /** HELD waits for a grant, GRANTED for a signature. */
  readonly state: 'HELD' | 'GRANTED' | 'SIGNED' | 'BROADCAST' | 'CONFIRMED' | 'FAILED';
  readonly address: string;
  /** Of the refund's own transfer. */
  readonly transaction_hash: string | null;
  readonly failure: string | null;
}

export interface OpenRefundView extends DepositRefundView {
  readonly deposit_id: number;
  readonly transaction_id: number;
  readonly transaction_code: string;
  readonly partner_id: number;
  /** Whole tokens. */
  readonly value: MoneyView;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface ReturnAddressView {
  readonly partner_id: number;
  readonly family: string;
  /** null: removed. */
  readonly address: string | null;
  readonly reason: string;
  readonly set_by: string;
  readonly set_at: string;
}

export interface DepositView {
  readonly deposit_id: number;
  /** Whole tokens. */
  readonly received: MoneyView;
  /** Credited by its order. */
  readonly used?: MoneyView;
  /** Fiat per token. */
  readonly rate: string;
  /** Values as in DepositState. */
  readonly state: 'funding' | 'ordered' | 'unapplied' | 'credited' | 'refunding' | 'refunded' | 'reverted';
  readonly refund: DepositRefundView | null;
  readonly at: string;
}

export interface UnappliedView extends DepositView {
  readonly transaction_id: number;
  readonly transaction_code: string;
  readonly partner_id: number;
  readonly why: string;
}

export interface TransactionReport {
  readonly transaction: TransactionView;
  readonly timeline: readonly TransitionView[];
  readonly timeline_left_out: number;
  readonly attempts: readonly AttemptView[];
  readonly hold: HoldView | null;
  readonly postings: readonly PostingView[];
  readonly duplicate_payment: readonly DuplicatePaymentView[];
  readonly incidents: readonly IncidentView[];
  readonly settlements: readonly SettlementView[];
  /** null: paid from a wallet. */
  readonly pay: PayView | null;
  readonly deposits: readonly DepositView[];
}

export interface WaitingView {
  readonly transaction_id: number;
  readonly transaction_code: string;
  readonly partner_id: number;
  readonly amount: MoneyView;
  readonly state: TransactionState;
  readonly since: string;
  readonly why: string;
  readonly attempt_no: number | null;
  readonly provider: string | null;
  readonly provider_reference: string | null;
  readonly polls: number;
  readonly next_check_at: string | null;
  readonly until: string | null;
  readonly settlement_id: number | null;
  /** Carried out after the call under way. */
  readonly settlement_approved_at: string | null;
}

export interface DebtView {
  readonly partner_id: number;
  readonly owed: MoneyView;
  readonly since: string | null;
  /** The oldest few. */
  readonly transaction_codes: readonly string[];
}

export interface FrozenView {
  readonly partner_id: number;
  readonly since: string;
  readonly by_people: { readonly id: number; readonly reason: string; readonly by: string; readonly at: string } | null;
  readonly suspended_since: string | null;
  readonly incidents: readonly { readonly id: number; readonly transaction_code: string; readonly detail: string }[];
  readonly held_back: number;
}

export interface StalledOutbox {
  readonly consumer_group: string;
  /** null: the recorded positions are wrong, so unknown. */
  readonly oldest_at: string | null;
  readonly why: string;
}

export const STUCK_SECTIONS = [
  'parked',
  'in_doubt',
  'review',
  'overdue',
  'rail_not_configured',
  'frozen',
  'incidents',
  'owed_by_partners',
  'owed_to_us',
  'outbox_stalled',
] as const;
export type StuckSection = (typeof STUCK_SECTIONS)[number];

export interface StuckReport {
  readonly parked: readonly WaitingView[];
  readonly in_doubt: readonly WaitingView[];
  readonly review: readonly WaitingView[];
  readonly overdue: readonly WaitingView[];
  readonly rail_not_configured: readonly WaitingView[];
  readonly frozen: readonly FrozenView[];
  readonly incidents: readonly IncidentView[];
  readonly owed_by_partners: readonly DebtView[];
  readonly owed_to_us: readonly DuplicatePaymentView[];
  readonly outbox_stalled: readonly StalledOutbox[];
  /** Lists shown in part. */
  readonly cut: readonly StuckSection[];
}
