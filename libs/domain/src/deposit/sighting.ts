/** After a reorganisation the same number has another hash. */
export interface BlockReference {
  readonly number: number;
  readonly hash: string;
  /** The chain's time, epoch milliseconds. */
  readonly timeMs: number;
}

/** Agreed by the endpoints. null: the chain does not report that tag. */
export interface ChainHeights {
  readonly latest: number;
  readonly safe: number | null;
  readonly finalized: number | null;
}

/** To the queried address; more than 0. */
export interface SightedTransfer {
  /** Contract (EVM: EIP-55), mint, or `CODE:ISSUER` (Stellar). */
  readonly token: string;
  readonly from: string;
  /** If the chain reports balances, not transfers. */
  readonly alsoFrom?: readonly string[];
  readonly value: bigint;
  /** In the transaction's own logs: a reorganisation does not change it. */
  readonly ordinal: number;
}

/** `not_found` may change with the next block; `trouble` says nothing about the chain. */
export type Sighting =
  | { readonly kind: 'not_found' }
  | { readonly kind: 'failed'; readonly block: BlockReference; readonly heights: ChainHeights }
  | {
      readonly kind: 'found';
      readonly block: BlockReference;
      readonly heights: ChainHeights;
      readonly transfers: readonly SightedTransfer[];
      /** If the query used an alias (Stellar: inner hash of a fee bump). */
      readonly transactionId?: string;
    }
  /** `reason` has no URL and no answer text. */
  | { readonly kind: 'trouble'; readonly reason: string };
