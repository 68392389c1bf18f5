import type { UnsignedTransfer } from '@vuka/chains';
import type { Money } from '@vuka/domain';

export interface NewRefund {
  readonly refundId: number;
  readonly partnerId: number;
  readonly depositId: number;
  /** null: its chain had reverted the deposit. */
  readonly depositWas: string | null;
  readonly chain: string;
  readonly amount: Money;
  readonly decimals: number;
  readonly address: string;
  readonly correlationId: string;
  readonly causationId: string;
  readonly createdAt: Date;
}

export type RefundEnding = 'cancelled' | 'deposit_reverted';

export type LiveRefundState = 'queued' | 'prepared' | 'signed' | 'broadcast';

export interface RefundInHand extends NewRefund {
  readonly state: LiveRefundState;
  readonly fence: number;
  readonly refusedSince: Date | null;
  readonly troubledSince: Date | null;
  readonly signedAt: Date | null;
  /** In spite of screening. */
  readonly isCleared: boolean;
  /** Minor units of the native coin. */
  readonly costAllowedMinor: bigint | null;
  /** When all signed versions were last accounted for without a long gap before. After a gap only a sighting counts. */
  readonly fateKnownAt: Date | null;
  /** Since when people have to decide what became of it. */
  readonly unsureSince: Date | null;
  /** When people said that no version was included. */
  readonly deadAgreedAt: Date | null;
  /** It fails with this reason once its exported version is proven dead. */
  readonly endsAs: RefundEnding | null;
  /** Those that may still be included, by version from 1. */
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
  /** Somebody may have signed it without telling us. */
  readonly isExported: boolean;
  readonly createdAt: Date;
  readonly signedAt: Date | null;
}

/** `seen`: on the chain. `followed`: the chain answered for all, without a long gap before. */
export type FateKnown = 'seen' | 'followed';

/** `trouble` null: it only needs time. */
export interface NextTurn {
  readonly nextDueAt: Date;
  readonly trouble: string | null;
  /** By the chain: the recipient cannot receive it. */
  readonly isRefused?: boolean;
  readonly known?: FateKnown | null;
  readonly isUnsure?: boolean;
  /** What it would cost: minor units of the native coin. */
  readonly costMinor?: bigint;
}

export interface LockedRefund {
  readonly state: string;
  readonly chain: string;
  readonly trouble: string | null;
  readonly isHit: boolean;
  readonly isCleared: boolean;
  /** Its partner may owe for another vanished deposit. */
  readonly isWithheld: boolean;
  readonly isUnsure: boolean;
  readonly isGranted: boolean;
  readonly endsAs: RefundEnding | null;
  readonly sequence: number;
  readonly signedAt: Date | null;
}
