import type { Envelope } from '@vuka/contracts';
import type { AttemptState, Deposit, Leg, Money, RefundOrigin, RefundState, TransactionState } from '@vuka/domain';
import type { AuditEntry } from '@vuka/persistence';

/** What of a transaction changes over its life; written whole by each move, which read it before deciding. */
export interface TransactionLife {
  readonly state: TransactionState;
  /** Counts every transition; the compare-and-set of moves. */
  readonly sequence: number;
  /** Counts changes of the public status after acceptance: what partners were told. */
  readonly publicSequence: number;
  readonly attemptNo: number;
  /** The attempt whose payment payout_settled stands for, under `receiptNumber`; null before. Not always the newest one. */
  readonly paidAttemptNo: number | null;
  readonly message: string;
  readonly failureCode: string | null;
  readonly receiptNumber: string | null;
  readonly publicName: string | null;
  readonly dueAt: Date | null;
  readonly parkDeadline: Date | null;
}

/** What of a transaction is fixed when it is accepted. */
export interface TransactionDetails {
  readonly id: number;
  readonly partnerId: number;
  readonly transactionCode: string;
  readonly operation: string;
  readonly amount: Money;
  /** The partner's markup, inside the amount. */
  readonly fee: Money;
  /** Ours, on top of the amount. */
  readonly serviceFee: Money;
  readonly callbackUrl: string | null;
  readonly requestId: string;
  readonly traceparent: string;
}

/** A destination as stored: its numbers sealed, and a keyed index to find equal ones by. */
export interface SealedDestination {
  readonly kind: string;
  /** '' where it is no bank. */
  readonly bankCode: string;
  readonly bankName: string;
  /** '' where it is not mobile money. */
  readonly mobileNetwork: string;
  readonly sealed: string;
  readonly blindIndex: string;
}

export interface Transition {
  /** null: the transaction begins. */
  readonly from: TransactionState | null;
  readonly to: TransactionState;
  readonly event: string;
  readonly attemptNo: number;
  /** Codes and reasons, never a number or a name of a recipient. */
  readonly detail: string;
}

export interface NewAttempt {
  readonly attemptNo: number;
  readonly providerReference: string;
  readonly provider: string;
  readonly state: AttemptState;
  readonly amount: Money;
  readonly nextAt: Date;
}

export interface AttemptPatch {
  readonly attemptNo: number;
  /** Of the claim this patch comes from: a claim that lapsed and was taken over has nothing more to say. */
  readonly fence: number;
  readonly state: AttemptState;
  /** When to look again; null = never. */
  readonly nextAt: Date | null;
  /** The first one is kept. */
  readonly receiptNumber: string | null;
  readonly providerDetail: string;
  /** Set by the answer that ends the attempt: until when it is looked at again, and which answer it was. null leaves what is there. */
  readonly lateUntil: Date | null;
  readonly endedBy: AttemptEnd | null;
}

/** What ended an attempt. `deferred`: not taken, so the same provider may be tried again. `stopped`: given up unsent. `settled`: by people. */
export type AttemptEnd = 'succeeded' | 'reversed' | 'not_paid' | 'deferred' | 'stopped' | 'settled';

/** A payment that was not expected (duplicate_payment, duplicate_payment_ours), one per receipt. */
export interface DuplicatePayment {
  readonly attemptNo: number;
  readonly receiptNumber: string;
  readonly provider: string;
  readonly amount: Money;
  /** By the partner; else it is ours to settle with the provider. */
  readonly owed: boolean;
}

export interface Posting {
  /** Unique for ever: `<kind>:<id>[:<n>]`. */
  readonly reference: string;
  readonly kind: string;
  readonly legs: readonly Leg[];
  /** In a move that is of no one transaction: the one this goes back to. */
  readonly about?: number;
}

/** What a pay says of the deposit that is to pay for it. With it the hash is claimed and the quote used. */
export interface PayDetails {
  readonly chain: string;
  /** Canonical. */
  readonly transactionHash: string;
  /** The token's symbol where the partner named one. */
  readonly asset: string | null;
  readonly quoteId: string | null;
  readonly refundAddress: string | null;
}

/**
 * Where the value of a deposit is; of one that its order has used in part, where the rest is. `ordered`: unapplied, and its order has the first
 * word on it. `funding`: behind the payout, or paid out. `credited`: in the wallet. `refunded`: on its way to whom it was
 * sent back to, or there. `reverted`: the chain took it back, and so did the ledger.
 */
export type DepositState = 'funding' | 'ordered' | 'unapplied' | 'credited' | 'refunding' | 'refunded' | 'reverted';

/** A deposit as its transaction was judged by it. */
export interface ValuedDeposit extends Deposit {
  /** Fiat per whole token, an exact decimal. */
  readonly rate: string;
  /** What of the hold is ours (shortfall_covered); null: nothing. */
  readonly shortfall: Money | null;
  /** Why the quote that was sent was not used; null where none was sent, or it was. */
  readonly quoteNotApplied: string | null;
}

/** One that comes into the ledger. */
export interface NewDeposit extends ValuedDeposit {
  /** Of the transfer it came by, canonical. */
  readonly transactionHash: string;
  readonly partnerId: number;
  /** The one its transaction was judged by. */
  readonly isMain: boolean;
  readonly state: DepositState;
}

/** Value that is to go back on chain. It begins HELD. */
export interface NewRefund {
  readonly refundId: number;
  readonly partnerId: number;
  readonly transactionId: number;
  readonly depositId: number;
  readonly chain: string;
  readonly amount: Money;
  /** Of its token. */
  readonly decimals: number;
  readonly address: string;
  readonly origin: RefundOrigin;
}

/** A refund goes on: compare-and-set on its state. What is left out stays as it is. */
export interface RefundPatch {
  readonly refundId: number;
  readonly expected: RefundState;
  readonly state: RefundState;
  readonly transactionHash?: string;
  readonly failure?: string;
  readonly toldSequence?: number;
}

/** What its event was handled with: another delivery of it changes nothing. */
export interface InboxMark {
  readonly group: string;
  readonly eventId: string;
  /** As the event has it. */
  readonly occurredAt: string;
}

/** The acceptance of a new transaction. */
export interface Insertion {
  readonly details: TransactionDetails;
  readonly destination: SealedDestination;
  readonly fingerprint: string;
  /** Where a deposit on chain pays. */
  readonly pay?: PayDetails;
}

/**
 * One change of one transaction, committed whole or not at all with others in a batch (docs/engineers/ledger.md).
 * `expectedSequence` 0 inserts. A lone move (an opening, a top-up, a step of a refund) has no transaction: it is known by its first posting,
 * and where it posts nothing by the state of the refund or the deposit that it expects.
 */
export interface PaymentCommit {
  /** Names this very move, so that sending it again after a lost answer is harmless. */
  readonly commitId: string;
  readonly transactionId: number | null;
  readonly expectedSequence: number;
  readonly insertion?: Insertion;
  readonly life?: TransactionLife;
  readonly transitions: readonly Transition[];
  readonly newAttempt?: NewAttempt;
  readonly attemptPatches?: readonly AttemptPatch[];
  /** `open` with the held amount, or what closes the open hold. */
  readonly hold?: { readonly open: Money; readonly partnerId: number } | 'posted' | 'voided';
  /** Opens the hash and the quote of a pay to its partner again. */
  readonly releasesClaim?: boolean;
  readonly deposits?: readonly NewDeposit[];
  readonly depositPatches?: readonly {
    readonly depositId: number;
    readonly expected: DepositState;
    readonly state: DepositState;
  }[];
  readonly mark?: InboxMark;
  /** New ones come with a patch of their deposit, whose lock keeps two from being made. */
  readonly refunds?: readonly NewRefund[];
  readonly refundPatches?: readonly RefundPatch[];
  /** Of a lone move: the transaction its postings, its deposits and its incident go back to. An order's may not be there yet. */
  readonly about?: number;
  readonly postings: readonly Posting[];
  readonly outbox: readonly Envelope[];
  readonly duplicatePayment?: DuplicatePayment;
  /** Of the payments made again: the attempt's under this receipt came back (duplicate_payment_returned), or all that stand are now owed (duplicate_payment_owed). */
  readonly duplicatePaymentPatch?: {
    readonly attemptNo: number;
    readonly unwound: string | null;
    readonly owed: boolean;
  };
  /** The settlement by two people that this move carries out. */
  readonly settlement?: { readonly id: number; readonly approvedBy: string };
  /** Who had it done: written in the same commit. Such a move is not batched with others. */
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
  /** The partner's hash is another transaction's. */
  | { readonly outcome: 'hash_claimed'; readonly transactionId: number }
  | { readonly outcome: 'quote_used' }
  /** The event was handled before: nothing was written. */
  | { readonly outcome: 'seen' }
  /** Somebody else moved the transaction, the deposit or the refund first. */
  | { readonly outcome: 'stale' }
  /** Somebody else has claimed the attempt since: the newer claim owns its answer. Or the settlement is no longer open. */
  | { readonly outcome: 'superseded' };
