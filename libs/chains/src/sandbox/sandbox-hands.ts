import type { Result } from '@vuka/domain';

export interface SandboxTransfer {
  /** A token of the chain by symbol (accepted or not), a lookalike of it by symbol, or what any token is told apart by there (contract, mint, `CODE:ISSUER`). */
  readonly asset: string;
  /** Whole tokens, decimal: `12.5`. */
  readonly amount: string;
  readonly to: string;
  /** Whose money it is; given the tokens and the fees that are needed. The sandbox's payer where absent. */
  readonly from?: string;
  /** Make the block and as many on top of it as make any value final; where false, the chain's own pace. */
  readonly mine?: boolean;
  /** Stellar alone: digits are an id, anything else a text. */
  readonly memo?: string;
}

export interface SentTransfer {
  readonly hash: string;
  /** Where it is (Solana: slot, Stellar: ledger); null while the chain is stalled. */
  readonly blockNumber: number | null;
}

/** Hands on a chain of the sandbox, whatever its family. Transfers are real transactions. Throws SandboxNodeError where the node is away or refuses. */
export interface SandboxHands {
  /** The error, for people, is what is wrong with the request. */
  transfer(transfer: SandboxTransfer): Promise<Result<SentTransfer, string>>;
  /** Makes so many blocks, at once, none of them later than the clock. */
  mine(blocks: number): Promise<void>;
  /** What was in the newest `depth` blocks never happened. The error, for people: why a chain of this family cannot. */
  reorg(depth: number): Promise<Result<void, string>>;
  /** While it is on no block is made; what is sent waits. */
  stall(on: boolean): Promise<void>;
  height(): Promise<number>;
  close(): void;
}

/** A node refused, or did not answer. */
export class SandboxNodeError extends Error {
  override readonly name = 'SandboxNodeError';
}
