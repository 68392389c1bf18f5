/** A block (Solana: slot, Stellar: ledger) by what cannot be mistaken: after a reorganisation the same number has another hash. */
export interface BlockReference {
  readonly number: number;
  readonly hash: string;
  /** The chain's own time, epoch milliseconds. */
  readonly timeMs: number;
}

/** How far the agreeing endpoints say the chain has come: block numbers. null where the chain does not tell that tag. */
export interface ChainHeights {
  readonly latest: number;
  readonly safe: number | null;
  readonly finalized: number | null;
}

/** One movement of one token to the address that was asked about; more than 0. */
export interface SightedTransfer {
  /** What tells a token from its lookalikes: contract (EVM: EIP-55), mint, or `CODE:ISSUER` (Stellar). */
  readonly token: string;
  readonly from: string;
  /** Others of whom some of it may have come, where a chain tells balances and not movements. */
  readonly alsoFrom?: readonly string[];
  /** In the token's minor units. */
  readonly value: bigint;
  /** Its place among the transaction's own logs: stays what it is when a reorganisation moves the transaction. */
  readonly ordinal: number;
}

/**
 * What the endpoints of a chain agree on about one transaction and one address of ours. `not_found` and `trouble` are no
 * verdicts: the first may change with the next block, the second says nothing about the chain.
 */
export type Sighting =
  | { readonly kind: 'not_found' }
  /** In a block, and reverted: nothing moved. */
  | { readonly kind: 'failed'; readonly block: BlockReference; readonly heights: ChainHeights }
  | {
      readonly kind: 'found';
      readonly block: BlockReference;
      readonly heights: ChainHeights;
      readonly transfers: readonly SightedTransfer[];
      /** Its canonical id where it was asked for by an alias of it (Stellar: by the inner hash of a fee bump). */
      readonly transactionId?: string;
    }
  /** Endpoints were silent, lagged or disagreed. `reason` names neither their URLs nor what they said. */
  | { readonly kind: 'trouble'; readonly reason: string };
