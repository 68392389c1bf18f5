import type { TokenFact } from './chain-facts.js';

export interface IncomingTransfer {
  readonly chain: string;
  /** Canonical; on Stellar the outer hash of a fee bump. */
  readonly hash: string;
  /** On Stellar the inner hash of a fee bump. */
  readonly otherHashes: readonly string[];
  /** As it was asked for; lower case on EVM. */
  readonly address: string;
  readonly token: TokenFact;
  /** Minor units of the token. */
  readonly received: bigint;
  readonly senders: readonly string[];
  /** Solana: slot. Stellar: ledger. */
  readonly block: number;
  readonly at: Date;
  /** When its block became final; null: not yet. */
  readonly finalAt: Date | null;
}

/** What the chain itself reports at one height. Vuka is not asked. */
export interface ChainBook {
  readonly chain: string;
  readonly height: number;
  readonly incomingTransfers: readonly IncomingTransfer[];
  readonly reverted: ReadonlySet<string>;
}

export interface BookQuestion {
  readonly chain: string;
  readonly url: string;
  /** As partners get them: owners on Solana, muxed addresses on Stellar. */
  readonly addresses: readonly string[];
  readonly hashes: readonly string[];
}
