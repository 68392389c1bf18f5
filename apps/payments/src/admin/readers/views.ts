import type { AttemptState, PublicStatus, TransactionState } from '@vuka/domain';

/**
 * What the admin part shows, in the very shape that `--json` prints: snake case, money as decimal strings with their currency,
 * times as RFC 3339 text, account and phone numbers masked. Fields are only ever added.
 */
export interface MoneyView {
  readonly amount: string;
  readonly currency: string;
}

/** A transaction as a list names it. */
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

/** Where the money goes; of its numbers only the last four digits, of a short one nothing. */
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
  /** Of the callback URL the host only: a path may hold a token. */
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
  /** 0: it speaks of none. */
  readonly attempt_no: number;
  readonly detail: string;
}

export interface AttemptView {
  readonly attempt_no: number;
  readonly provider: string;
  /** Our id there: what to ask the provider's people about. */
  readonly provider_reference: string;
  readonly state: AttemptState;
  readonly amount: MoneyView;
  readonly polls: number;
  readonly next_check_at: string | null;
  readonly claimed_until: string | null;
  /** Until when one that has ended is still looked at. */
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

/** A payment nobody asked for: after the transaction had failed, or a second time. */
export interface DuplicatePaymentView {
  readonly transaction_id: number;
  readonly transaction_code: string;
  readonly partner_id: number;
  readonly attempt_no: number;
  readonly provider: string;
  readonly receipt_number: string;
  readonly amount: MoneyView;
  /** partner: it has its money back and owes this. us: ours to get back from the provider. */
  readonly owed_by: 'partner' | 'us';
  readonly posted_at: string;
  /** When it came back. */
  readonly unwound_at: string | null;
}

export interface IncidentView {
  readonly id: number;
  readonly transaction_id: number;
  readonly transaction_code: string;
  readonly partner_id: number;
  readonly attempt_no: number;
  /** Where the transaction was when it happened. */
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

/** What people say became of an attempt, or is to become of what screening has stopped. */
export interface SettlementView {
  readonly id: number;
  readonly transaction_id: number;
  /** 0: screening stopped it before there was one. */
  readonly attempt_no: number;
  readonly outcome: 'paid' | 'not_paid' | 'cleared';
  readonly receipt_number: string | null;
  /** What the provider really paid, where that is another amount. */
  readonly paid: MoneyView | null;
  readonly evidence: string;
  /** `scheduled`: approved, and carried out when the call under way has ended. `superseded`: the provider's answer came before that. */
  readonly state: 'proposed' | 'scheduled' | 'approved' | 'superseded' | 'withdrawn';
  readonly proposed_by: string;
  readonly proposed_at: string;
  readonly approved_by: string | null;
  readonly approved_at: string | null;
  /** When it was carried out; null: it was not, or not yet. */
  readonly executed_at: string | null;
  /** Of a scheduled one that waits for a call: when that has ended at the latest. */
  readonly executes_by: string | null;
  readonly withdrawn_at: string | null;
  /** Why it was superseded. */
  readonly superseded_why: string | null;
}

/** Which deposit on chain a payout waits for, or waited for. */
export interface PayView {
  readonly chain: string;
  readonly transaction_hash: string;
  /** The token the partner named; null: any. */
  readonly asset: string | null;
  readonly quote_id: string | null;
  readonly refund_address: string | null;
  /** When the hash was opened to its partner again. */
  readonly released_at: string | null;
}

/** What goes back on chain, as far as offramp has told. */
export interface DepositRefundView {
  readonly refund_id: number;
  /** HELD: it waits for its grant. GRANTED: for a signature. */
  readonly state: 'HELD' | 'GRANTED' | 'SIGNED' | 'BROADCAST' | 'CONFIRMED' | 'FAILED';
  readonly address: string;
  /** Of its own transfer; null before it is signed. */
  readonly transaction_hash: string | null;
  /** Why it FAILED. */
  readonly failure: string | null;
}

/** A refund that has not ended. */
export interface OpenRefundView extends DepositRefundView {
  readonly deposit_id: number;
  readonly transaction_id: number;
  readonly transaction_code: string;
  readonly partner_id: number;
  /** In whole tokens. */
  readonly value: MoneyView;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Where a partner's refunds go that name no address. */
export interface ReturnAddressView {
  readonly partner_id: number;
  /** Of chains: one address for all of it. */
  readonly family: string;
  /** null: none any more. */
  readonly address: string | null;
  readonly reason: string;
  readonly set_by: string;
  readonly set_at: string;
}

/** What arrived on chain. */
export interface DepositView {
  /** offramp's. */
  readonly deposit_id: number;
  /** In whole tokens. */
  readonly received: MoneyView;
  /** What its order was credited for; absent where it is none's. */
  readonly used?: MoneyView;
  /** Fiat per token. */
  readonly rate: string;
  /** Of what its order has used only in part, where the rest is. ordered: its order has not ended. funding: behind the payout, or paid out. credited: in the wallet. reverted: the chain took it back. */
  readonly state: 'funding' | 'ordered' | 'unapplied' | 'credited' | 'refunding' | 'refunded' | 'reverted';
  /** The newest one; null where it was never to go back. */
  readonly refund: DepositRefundView | null;
  readonly at: string;
}

/** Value that arrived and was used for nothing: it is its partner's, and waits. */
export interface UnappliedView extends DepositView {
  readonly transaction_id: number;
  readonly transaction_code: string;
  readonly partner_id: number;
  readonly why: string;
}

/** One transaction's whole life, as payments knows it. */
export interface TransactionReport {
  readonly transaction: TransactionView;
  readonly timeline: readonly TransitionView[];
  /** Older ones that the bound of the list left out. */
  readonly timeline_left_out: number;
  readonly attempts: readonly AttemptView[];
  readonly hold: HoldView | null;
  readonly postings: readonly PostingView[];
  readonly duplicate_payment: readonly DuplicatePaymentView[];
  readonly incidents: readonly IncidentView[];
  readonly settlements: readonly SettlementView[];
  /** null: a wallet pays. */
  readonly pay: PayView | null;
  /** The one it was judged by first. */
  readonly deposits: readonly DepositView[];
}

/** A transaction that does not move, with what its last move said. */
export interface WaitingView {
  readonly transaction_id: number;
  readonly transaction_code: string;
  readonly partner_id: number;
  readonly amount: MoneyView;
  readonly state: TransactionState;
  readonly since: string;
  readonly why: string;
  /** Of the attempt it waits for, where it waits for one. */
  readonly attempt_no: number | null;
  readonly provider: string | null;
  readonly provider_reference: string | null;
  readonly polls: number;
  /** When somebody looks next: at the provider, or for a provider. */
  readonly next_check_at: string | null;
  /** When a parked one fails. */
  readonly until: string | null;
  /** A proposal that waits for a second person. */
  readonly settlement_id: number | null;
  /** It was approved, and is carried out when the call under way has ended. */
  readonly settlement_approved_at: string | null;
}

/** What a partner owes, by currency. */
export interface DebtView {
  readonly partner_id: number;
  readonly owed: MoneyView;
  readonly since: string | null;
  /** The transactions it comes from, oldest first, a few of them. */
  readonly transaction_codes: readonly string[];
}

/** A partner whose payouts wait, and what keeps it so: incidents of vanished deposits, people, a suspension. */
export interface FrozenView {
  readonly partner_id: number;
  readonly since: string;
  /** null: people have not frozen it. */
  readonly by_people: { readonly id: number; readonly reason: string; readonly by: string; readonly at: string } | null;
  /** null: it is not suspended. */
  readonly suspended_since: string | null;
  readonly incidents: readonly { readonly id: number; readonly transaction_code: string; readonly detail: string }[];
  /** Payouts that are held back. */
  readonly held_back: number;
}

/** Events that a group of readers has not been through with for longer than it takes. */
export interface StalledOutbox {
  readonly consumer_group: string;
  /** null: the places where readers stand cannot be right, so nobody can say. */
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

/** Everything payments knows of that does not move by itself, or not as it should; each list oldest first. */
export interface StuckReport {
  readonly parked: readonly WaitingView[];
  readonly in_doubt: readonly WaitingView[];
  readonly review: readonly WaitingView[];
  /** Due for a minute and more, and nobody has looked. */
  readonly overdue: readonly WaitingView[];
  readonly rail_not_configured: readonly WaitingView[];
  readonly frozen: readonly FrozenView[];
  readonly incidents: readonly IncidentView[];
  readonly owed_by_partners: readonly DebtView[];
  readonly owed_to_us: readonly DuplicatePaymentView[];
  readonly outbox_stalled: readonly StalledOutbox[];
  /** Lists that are longer than what is shown of them. */
  readonly cut: readonly StuckSection[];
}
