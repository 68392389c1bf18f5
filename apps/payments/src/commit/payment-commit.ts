import type { Envelope } from '@vuka/contracts';
import type {
  AttemptState,
  Deposit,
  Leg,
  Money,
  RefundOrigin,
  RefundState,
  TransactionState,
  VelocityLimit,
} from '@vuka/domain';
import type { AuditEntry } from '@vuka/persistence';

/** Each commit writes it whole, from what it read before deciding. */
export interface TransactionLife {
  readonly state: TransactionState;
  /** Counts transitions; commits compare and set it. */
  readonly sequence: number;
  readonly publicSequence: number;
  readonly attemptNo: number;
  /** Whose payment payout_settled stands for, not always the newest; null before. */
  readonly paidAttemptNo: number | null;
  readonly message: string;
  readonly failureCode: string | null;
  readonly receiptNumber: string | null;
  /** Sealed, and so it is told: notifier opens it. */
  readonly publicName: string | null;
  readonly dueAt: Date | null;
  readonly parkDeadline: Date | null;
}

export interface TransactionDetails {
  readonly id: number;
  readonly partnerId: number;
  readonly transactionCode: string;
  readonly operation: string;
  readonly amount: Money;
  /** The partner's markup, included in the amount. */
  readonly fee: Money;
  /** Ours, on top of the amount. */
  readonly serviceFee: Money;
  /** As gateway sealed it, and so it is told. */
  readonly callbackUrl: string | null;
  readonly requestId: string;
  readonly traceparent: string;
}

/** The numbers are sealed by the data key `keyId` (null: none); `blindIndex` is keyed and finds equal ones. */
export interface SealedDestination {
  readonly kind: string;
  readonly bankCode: string;
  readonly bankName: string;
  readonly mobileNetwork: string;
  readonly keyId: number | null;
  readonly sealed: string;
  readonly blindIndex: string;
}

export interface Transition {
  /** null: it begins. */
  readonly from: TransactionState | null;
  readonly to: TransactionState;
  readonly event: string;
  readonly attemptNo: number;
  /** Codes and reasons, never a recipient's number or name. */
  readonly detail: string;
}

export interface NewAttempt {
  readonly attemptNo: number;
  readonly providerReference: string;
  readonly provider: string;
  /** The provider's wallet that pays. */
  readonly wallet: string;
  readonly state: AttemptState;
  readonly amount: Money;
  readonly nextAt: Date;
}

export interface AttemptPatch {
  readonly attemptNo: number;
  /** Of the claim this comes from. A lost claim must not write. */
  readonly fence: number;
  readonly state: AttemptState;
  /** null = never. */
  readonly nextAt: Date | null;
  /** The first one is kept. */
  readonly receiptNumber: string | null;
  readonly providerDetail: string;
  /** null keeps what is stored. */
  readonly lateUntil: Date | null;
  readonly endedBy: AttemptEnd | null;
  /** The provider's own id. The first one is kept; with another one, the commit is superseded. */
  readonly providerPaymentId?: string;
}

/**
 * `refused`: not paid by the answer to the first call, which took nothing. `deferred`: not taken, may be tried again.
 * `our_fault`: taken and not paid for a fault of ours, may be tried again. `stopped`: given up unsent. `settled`: by
 * people.
 */
export type AttemptEnd =
  'succeeded' | 'reversed' | 'not_paid' | 'refused' | 'deferred' | 'our_fault' | 'stopped' | 'settled';

export interface DuplicatePayment {
  readonly attemptNo: number;
  readonly receiptNumber: string;
  readonly provider: string;
  readonly wallet: string;
  readonly amount: Money;
  /** true: the partner owes it. false: we settle it with the provider. */
  readonly owed: boolean;
}

export interface Posting {
  /** Unique for ever: `<kind>:<id>[:<n>]`. */
  readonly reference: string;
  readonly kind: string;
  readonly legs: readonly Leg[];
  readonly about?: number;
}

/** With it the commit claims the hash and uses the quote. */
export interface PayDetails {
  readonly chain: string;
  readonly transactionHash: string;
  /** Token symbol; null: any. */
  readonly asset: string | null;
  readonly quoteId: string | null;
  readonly refundAddress: string | null;
}

/**
 * After partial use by an order: where the rest is. `ordered`: its order decides first. `funding`: behind the
 * payout, or paid out. `refunded`: sent back on chain.
 */
export type DepositState = 'funding' | 'ordered' | 'unapplied' | 'credited' | 'refunding' | 'refunded' | 'reverted';

export interface ValuedDeposit extends Deposit {
  /** Fiat per whole token, an exact decimal. */
  readonly rate: string;
  /** Our part of the hold. */
  readonly shortfall: Money | null;
  /** Why the partner's quote was not used. */
  readonly quoteNotApplied: string | null;
}

export interface NewDeposit extends ValuedDeposit {
  /** Canonical. */
  readonly transactionHash: string;
  readonly partnerId: number;
  /** It decided its transaction. */
  readonly isMain: boolean;
  readonly state: DepositState;
}

/** It begins HELD. */
export interface NewRefund {
  readonly refundId: number;
  readonly partnerId: number;
  readonly transactionId: number;
  readonly depositId: number;
  readonly chain: string;
  readonly amount: Money;
  readonly decimals: number;
  readonly address: string;
  readonly origin: RefundOrigin;
}

/** Omitted fields keep their values. */
export interface RefundPatch {
  readonly refundId: number;
  readonly expected: RefundState;
  readonly state: RefundState;
  readonly transactionHash?: string;
  readonly failure?: string;
  readonly toldSequence?: number;
}

/** A redelivery of a marked event changes nothing. */
export interface InboxMark {
  readonly group: string;
  readonly eventId: string;
  readonly occurredAt: string;
}

/** Judged and counted in the commit, by its time. Without a key or of the whole partner, `subject` is ''. */
export interface VelocityCount {
  readonly limit: VelocityLimit;
  readonly subject: string;
}

export interface Insertion {
  readonly details: TransactionDetails;
  readonly destination: SealedDestination;
  readonly fingerprint: string;
  readonly pay?: PayDetails;
  readonly velocity?: readonly VelocityCount[];
}

/**
 * One change of one transaction, written whole or not at all (docs/engineers/ledger.md). `expectedSequence` 0
 * inserts. Without a transaction, its first posting identifies it, else the expected state.
 */
export interface PaymentCommit {
  /** Makes a resend after a lost answer harmless. */
  readonly commitId: string;
  readonly transactionId: number | null;
  readonly expectedSequence: number;
  readonly insertion?: Insertion;
  readonly life?: TransactionLife;
  readonly transitions: readonly Transition[];
  readonly newAttempt?: NewAttempt;
  readonly attemptPatches?: readonly AttemptPatch[];
  /** `open` with the held amount, or how the hold closes. */
  readonly hold?: { readonly open: Money; readonly partnerId: number } | 'posted' | 'voided';
  /** The partner may use the hash and quote again. */
  readonly releasesClaim?: boolean;
  readonly deposits?: readonly NewDeposit[];
  readonly depositPatches?: readonly {
    readonly depositId: number;
    readonly expected: DepositState;
    readonly state: DepositState;
  }[];
  readonly mark?: InboxMark;
  /** Each needs a patch of its deposit: that lock prevents a second refund. */
  readonly refunds?: readonly NewRefund[];
  readonly refundPatches?: readonly RefundPatch[];
  /** Without a transaction: the one it concerns. An order's may not exist yet. */
  readonly about?: number;
  readonly postings: readonly Posting[];
  readonly outbox: readonly Envelope[];
  readonly duplicatePayment?: DuplicatePayment;
  readonly duplicatePaymentPatch?: {
    readonly attemptNo: number;
    readonly unwound: string | null;
    readonly owed: boolean;
  };
  readonly settlement?: { readonly id: number; readonly approvedBy: string };
  /** Written in the same commit, which is not batched. */
  readonly act?: AuditEntry;
  readonly incident?: {
    readonly state: string;
    readonly event: string;
    readonly attemptNo: number;
    readonly detail: string;
  };
}

export type CommitOutcome =
  | { readonly outcome: 'ok' }
  | { readonly outcome: 'exists'; readonly transactionId: number }
  | { readonly outcome: 'exists_different'; readonly transactionId: number }
  | { readonly outcome: 'insufficient' }
  /** `reached`: which of the insertion's counts. */
  | { readonly outcome: 'limited'; readonly reached: number }
  | { readonly outcome: 'hash_claimed'; readonly transactionId: number }
  | { readonly outcome: 'quote_used' }
  /** The event was handled before; nothing was written. */
  | { readonly outcome: 'seen' }
  /** Somebody else changed it first. */
  | { readonly outcome: 'stale' }
  /** A newer claim has the attempt, or the settlement is closed. */
  | { readonly outcome: 'superseded' };
