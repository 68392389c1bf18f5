import type { Result } from '@vuka/domain';

export interface SandboxTransfer {
  /** Symbol of a token or lookalike, or its contract, mint, or `CODE:ISSUER`. */
  readonly asset: string;
  /** Whole tokens, decimal: `12.5`. */
  readonly amount: string;
  readonly to: string;
  /** Gets needed tokens and fees; default: the sandbox's payer. */
  readonly from?: string;
  /** Mines until final; false: the chain's own pace. */
  readonly mine?: boolean;
  /** Stellar only: digits are an id, else a text. */
  readonly memo?: string;
}

export interface SentTransfer {
  readonly hash: string;
  /** Solana slot, Stellar ledger; null while stalled. */
  readonly blockNumber: number | null;
}

/** Transfers are real transactions. Throws SandboxNodeError. */
export interface SandboxHands {
  /** The error is for people. */
  transfer(transfer: SandboxTransfer): Promise<Result<SentTransfer, string>>;
  /** At once; no block is later than the clock. */
  mine(blocks: number): Promise<void>;
  /** Drops the newest `depth` blocks. The error, for people: why this family cannot. */
  reorg(depth: number): Promise<Result<void, string>>;
  /** No blocks meanwhile; transactions wait. */
  stall(on: boolean): Promise<void>;
  height(): Promise<number>;
  close(): void;
}

export class SandboxNodeError extends Error {
  override readonly name = 'SandboxNodeError';
}
