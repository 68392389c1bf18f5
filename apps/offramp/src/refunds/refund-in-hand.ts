import type { UnsignedTransfer } from '@vuka/chains';
import type { Money } from '@vuka/domain';

export interface NewRefund {
  readonly refundId: number;
  readonly partnerId: number;
  readonly depositId: number;
  /** The deposit's earlier state. null: its chain had reverted it. */
  readonly depositWas: string | null;
  readonly chain: string;
  readonly amount: Money;
  readonly decimals: number;
  readonly address: string;
  readonly correlationId: string;
  readonly causationId: string;
  readonly createdAt: Date;
}

/** Why a refund ends that a signer has seen. */
export type RefundEnding = 'cancelled' | 'deposit_reverted';

export type LiveRefundState = 'queued' | 'prepared' | 'signed' | 'broadcast';

/** A refund that this process works on, under the fence of its claim. */
export interface RefundInHand extends NewRefund {
  readonly state: LiveRefundState;
  readonly fence: number;
  readonly refusedSince: Date | null;
  readonly troubledSince: Date | null;
  readonly signedAt: Date | null;
  /** People allowed it in spite of screening. */
  readonly isCleared: boolean;
  /** Cost that people allow, in minor units of the native coin. */
  readonly costAllowedMinor: bigint | null;
  /** Until when we knew, without a long gap, what became of all signed versions. After a gap only a sighting counts. */
  readonly fateKnownAt: Date | null;
  /** Since when people have to say what became of it. */
  readonly unsureSince: Date | null;
  /** When people said that no signed version was included. */
  readonly deadAgreedAt: Date | null;
  /** Not null: it will fail with this reason once the version that a signer has seen is proven dead. */
  readonly endsAs: RefundEnding | null;
  /** By version, from 1: those that may still be included. */
  readonly versions: readonly LiveVersion[];
}

export interface LiveVersion {
  readonly version: number;
  readonly wallet: string;
  readonly place: bigint | null;
  readonly unsigned: UnsignedTransfer;
  readonly state: 'prepared' | 'signed';
  readonly raw: string | null;
  readonly transactionId: string | null;
  /** Somebody may have signed it without reporting to us. */
  readonly isExported: boolean;
  readonly createdAt: Date;
  readonly signedAt: Date | null;
}

/** `seen`: the chain has it. `followed`: the chain answered for all signed versions, without a long gap before. */
export type FateKnown = 'seen' | 'followed';

/** A turn that changed nothing. `trouble` null: it only needs time. */
export interface NextTurn {
  readonly nextDueAt: Date;
  readonly trouble: string | null;
  /** The chain says that the recipient cannot receive it. */
  readonly isRefused?: boolean;
  readonly known?: FateKnown | null;
  readonly isUnsure?: boolean;
  /** What the too expensive transfer would cost, in minor units of the native coin. */
  readonly costMinor?: bigint;
}

export interface LockedRefund {
  readonly state: string;
  readonly chain: string;
  readonly trouble: string | null;
  /** Screening lists its recipient. */
  readonly isHit: boolean;
  readonly isCleared: boolean;
  /** Its partner may owe for another deposit that vanished. */
  readonly isWithheld: boolean;
  readonly isUnsure: boolean;
  /** Payments allows signing. */
  readonly isGranted: boolean;
  readonly endsAs: RefundEnding | null;
  readonly sequence: number;
  readonly signedAt: Date | null;
}
