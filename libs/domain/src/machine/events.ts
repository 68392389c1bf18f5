import type { AttemptState, FundedBy, TransactionState } from './states.js';

/** What a provider, the clock, or a person of ours says about the payout (columns of money.md section 1). */
export const PAYOUT_EVENT_TYPES = [
  'attempt.started',
  'submitted',
  'unknown',
  'succeeded',
  'not_paid_route_left',
  'not_paid_last',
  'deferred',
  'reversed',
  'mismatch',
  'overdue',
  'cancelled',
] as const;
export type PayoutEventType = (typeof PAYOUT_EVENT_TYPES)[number];

/** What offramp says about the deposit (columns of money.md section 2), and the end of a screening. */
export const DEPOSIT_EVENT_TYPES = [
  'deposit.seen',
  'deposit.verified',
  'deposit.unusable',
  'deposit.unapplied',
  'deposit.reverted',
  'screening.cleared',
] as const;
export type DepositEventType = (typeof DEPOSIT_EVENT_TYPES)[number];

export type TransactionEventType = PayoutEventType | DepositEventType;

/** What proves an outcome that a provider's own answer cannot: who looked at it and agreed. */
export interface Evidence {
  /** Ids of the people; two different ones are needed. */
  readonly approvedBy: readonly string[];
  /** Where the proof is kept. */
  readonly document: string;
}

/** `same`: its value stands in the ledger under this claim. `new`: it does not (a vanished one that is back, too). */
export type DepositIdentity = 'same' | 'new';

/** An event with the facts its cells ask for; a fact that is missing would be a guess, so none is optional but evidence. */
export type TransactionEvent =
  | { readonly type: 'attempt.started' | 'submitted' | 'unknown' | 'reversed' | 'mismatch' | 'overdue' | 'cancelled' }
  | {
      readonly type: 'succeeded';
      /** A posting for this very receipt stands already: payout_settled, or duplicate_payment. */
      readonly sameReceipt: boolean;
      readonly evidence?: Evidence;
    }
  | { readonly type: 'not_paid_route_left' | 'not_paid_last'; readonly evidence?: Evidence }
  | {
      readonly type: 'deferred';
      /** The provider has shown that it did not take the instruction. */
      readonly provenNotTaken: boolean;
    }
  | { readonly type: 'deposit.seen' | 'screening.cleared' }
  | {
      readonly type: 'deposit.verified';
      readonly deposit: DepositIdentity;
      /** Screening wants a person to look before anything is paid. */
      readonly screeningHit: boolean;
    }
  | {
      readonly type: 'deposit.unusable';
      /** Not found or not final: the claim is open to this partner again. */
      readonly releasesClaim: boolean;
    }
  | { readonly type: 'deposit.unapplied'; readonly deposit: DepositIdentity }
  | { readonly type: 'deposit.reverted' };

/** Where the value of a deposit is in the ledger when it is not (or no longer) behind the payout. */
export type ValueLocation = 'nowhere' | 'unapplied' | 'wallet' | 'refunding' | 'refunded';

/** What decide() looks at: read from the rows in the transaction that will write the move. */
export interface Subject {
  readonly state: TransactionState;
  readonly fundedBy: FundedBy;
  /** The partner gave an address to refund a failed pay to. */
  readonly refundAddress: boolean;
  /** Its deposit is less than the least that is sent back on its chain. Absent = no. */
  readonly tooLittleToSend?: boolean;
  /** The partner owes money, or is frozen: nothing of it leaves by a chain, for what has left cannot be collected. Absent = no. */
  readonly chainExitBlock?: boolean;
  /** The attempt the event speaks of, where it speaks of one. */
  readonly attempt?: { readonly isCurrent: boolean; readonly state: AttemptState };
  /** Any attempt of this transaction has left INTENT. Absent = none has. */
  readonly attemptSent?: boolean;
  /**
   * duplicate_payment stands, not unwound: on `reversed` for the receipt spoken of, on not paid for the attempt; on `attempt.started` for any receipt of this transaction,
   * for what has been paid is not paid again. `owed`: by the partner; `ours`: to settle with the provider. Absent = none stands.
   */
  readonly duplicatePayment?: 'owed' | 'ours';
  /** duplicate_payment_ours stands for any receipt of this transaction: the partner owes it once it has its money back. Absent = no. */
  readonly oursStands?: boolean;
  /** Of an older attempt's event, or a deposit's: the current attempt has not left INTENT, so that it can still be stopped. Absent = no. */
  readonly currentUnsent?: boolean;
  /** The deposit spoken of has been taken back in the ledger (P10). Absent = no. */
  readonly depositReverted?: boolean;
  /** Of the deposit spoken of; only read on `deposit.reverted`. Absent = nowhere. */
  readonly valueAt?: ValueLocation;
  /** The refund that refund_held made, while it lives. `ungranted`: nothing of it may be signed yet. Absent = there is none. */
  readonly refund?: 'ungranted' | 'granted';
  /** In FAILED: payout_settled stands, for a payment that became known before the refund was granted. Absent = no. */
  readonly paymentStands?: boolean;
}
