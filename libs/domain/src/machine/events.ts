import type { AttemptState, FundedBy, TransactionState } from './states.js';

/** From a provider, the clock or an operator (money.md section 1). */
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

/** From offramp (money.md section 2), and the end of a screening. */
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

export interface Evidence {
  /** Two different people are needed. */
  readonly approvedBy: readonly string[];
  readonly document: string;
}

/** `same`: its value is in the ledger for this claim. `new`: it is not, also if it vanished and returned. */
export type DepositIdentity = 'same' | 'new';

/** Required, except evidence: a default would be a guess. */
export type TransactionEvent =
  | { readonly type: 'attempt.started' | 'submitted' | 'unknown' | 'reversed' | 'mismatch' | 'overdue' | 'cancelled' }
  | {
      readonly type: 'succeeded';
      /** Already posted: payout_settled or duplicate_payment. */
      readonly sameReceipt: boolean;
      readonly evidence?: Evidence;
    }
  | {
      readonly type: 'not_paid_route_left';
      readonly evidence?: Evidence;
      /** The provider had taken it, and our float or settings kept it from paying: it waits for us. */
      readonly ourFault?: true;
    }
  | { readonly type: 'not_paid_last'; readonly evidence?: Evidence }
  | {
      readonly type: 'deferred';
      /** The provider proved that it took nothing. */
      readonly provenNotTaken: boolean;
    }
  | { readonly type: 'deposit.seen' | 'screening.cleared' }
  | {
      readonly type: 'deposit.verified';
      readonly deposit: DepositIdentity;
      /** A person must check it before a payout. */
      readonly screeningHit: boolean;
    }
  | {
      readonly type: 'deposit.unusable';
      /** Not found or not final: this partner may claim it again. */
      readonly releasesClaim: boolean;
    }
  | { readonly type: 'deposit.unapplied'; readonly deposit: DepositIdentity }
  | { readonly type: 'deposit.reverted' };

/** If it does not fund the payout. */
export type ValueLocation = 'nowhere' | 'unapplied' | 'wallet' | 'refunding' | 'refunded';

/** Read in the database transaction that writes the decision. Absent members mean no or none. */
export interface Subject {
  readonly state: TransactionState;
  readonly fundedBy: FundedBy;
  readonly refundAddress: boolean;
  /** Below the chain's smallest refund. */
  readonly tooLittleToSend?: boolean;
  /** The partner owes money or is frozen: no chain refund, because it could not be collected. */
  readonly chainExitBlock?: boolean;
  readonly attempt?: { readonly isCurrent: boolean; readonly state: AttemptState };
  /** An attempt has left INTENT. */
  readonly attemptSent?: boolean;
  /**
   * An open duplicate_payment. For `reversed`: of this receipt. For not paid: of this attempt. For
   * `attempt.started`: of any receipt, so that nothing is paid twice.
   * `owed`: by the partner; `ours`: to settle with the provider.
   */
  readonly duplicatePayment?: 'owed' | 'ours';
  /** An open duplicate_payment_ours for any receipt: the partner owes it once its money was returned. */
  readonly oursStands?: boolean;
  /** For an older attempt or a deposit: the current attempt is in INTENT, so it can be stopped. */
  readonly currentUnsent?: boolean;
  /** Reversed in the ledger (P10). */
  readonly depositReverted?: boolean;
  /** Only for `deposit.reverted`. Absent = nowhere. */
  readonly valueAt?: ValueLocation;
  /** The open refund of refund_held. `ungranted`: nothing may be signed yet. */
  readonly refund?: 'ungranted' | 'granted';
  /** FAILED with payout_settled: the payment became known before the refund was granted. */
  readonly paymentStands?: boolean;
}
