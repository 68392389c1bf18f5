import type { UnsignedTransfer } from '@vuka/chains';
import type { Money } from '@vuka/domain';

export interface NewRefund {
  readonly refundId: number;
  readonly partnerId: number;
  readonly depositId: number;
  /** The deposit's state before; null: its chain had taken it back. */
  readonly depositWas: string | null;
  readonly chain: string;
  readonly amount: Money;
  /** Of its token. */
  readonly decimals: number;
  readonly address: string;
  readonly correlationId: string;
  readonly causationId: string;
  readonly createdAt: Date;
}

/** Why one that a signer was shown is to end. */
export type RefundEnding = 'cancelled' | 'deposit_reverted';

export type LiveRefundState = 'queued' | 'prepared' | 'signed' | 'broadcast';

/** A refund whose turn it is, under the fence it was taken with. */
export interface RefundInHand extends NewRefund {
  readonly state: LiveRefundState;
  readonly fence: number;
  readonly refusedSince: Date | null;
  readonly troubledSince: Date | null;
  readonly signedAt: Date | null;
  /** People let it go, whatever screening says. */
  readonly isCleared: boolean;
  /** Up to so much of the native coin people let its transfer cost. */
  readonly costAllowedMinor: bigint | null;
  /** Since when the chain has been asked without a long gap what had become of all that is signed: when it last answered, or after a gap when it last had it. */
  readonly fateKnownAt: Date | null;
  /** Since when people have to say what became of it. */
  readonly unsureSince: Date | null;
  /** When people said that nothing of what is signed ever got in. */
  readonly deadAgreedAt: Date | null;
  /** It goes out no more: with this reason it fails once what a signer was shown is proven dead. */
  readonly endsAs: RefundEnding | null;
  /** By version, from 1: those that may still come to something. */
  readonly versions: readonly LiveVersion[];
}

/** A version of a refund's transfer that waits for its signature, or is signed and neither final nor dead. */
export interface LiveVersion {
  readonly version: number;
  readonly wallet: string;
  readonly place: bigint | null;
  readonly unsigned: UnsignedTransfer;
  readonly state: 'prepared' | 'signed';
  readonly raw: string | null;
  readonly transactionId: string | null;
  /** Somebody may have signed it whom we have not heard of since. */
  readonly isExported: boolean;
  readonly createdAt: Date;
  readonly signedAt: Date | null;
}

/** `seen`: the chain has it, whatever was doubted. `followed`: the chain has answered for all that is signed, and was asked before without a long gap. */
export type FateKnown = 'seen' | 'followed';

/** What a turn came to that changes nothing. `trouble` null: it only takes its time. */
export interface NextTurn {
  readonly nextDueAt: Date;
  readonly trouble: string | null;
  /** The chain says that the recipient cannot have it. */
  readonly isRefused?: boolean;
  readonly known?: FateKnown | null;
  /** People have to say what became of it. */
  readonly isUnsure?: boolean;
  /** Its transfer costs more than it may: so much of the native coin. */
  readonly costMinor?: bigint;
}

/** What a refund looks like when it is locked. */
export interface LockedRefund {
  readonly state: string;
  readonly chain: string;
  readonly trouble: string | null;
  /** Screening has its recipient on the list. */
  readonly isHit: boolean;
  readonly isCleared: boolean;
  /** Its partner may owe for another deposit that vanished. */
  readonly isWithheld: boolean;
  readonly isUnsure: boolean;
  /** Payments lets it be signed. */
  readonly isGranted: boolean;
  readonly endsAs: RefundEnding | null;
  readonly sequence: number;
  readonly signedAt: Date | null;
}
