import type { TokenFact } from './chain-facts.js';

/** All of one token that one transaction brought to one address. */
export interface IncomingTransfer {
  readonly chain: string;
  /** Canonical: on Stellar the outer hash of a fee bump. */
  readonly hash: string;
  /** What else the transaction is called: the inner hash of a fee bump. */
  readonly otherHashes: readonly string[];
  /** As it was asked about; of EVM in small letters. */
  readonly address: string;
  readonly token: TokenFact;
  /** Minor units of the token. */
  readonly received: bigint;
  /** Of EVM in small letters. */
  readonly senders: readonly string[];
  /** Solana: slot. Stellar: ledger. */
  readonly block: number;
  readonly at: Date;
  /** When the block was made with which enough stood on it; null: not yet. */
  readonly finalAt: Date | null;
}

/** What a chain itself says at one height: nothing of Vuka's is asked. */
export interface ChainBook {
  readonly chain: string;
  readonly height: number;
  /** Of accepted tokens, at the addresses that were asked about, oldest first. */
  readonly incomingTransfers: readonly IncomingTransfer[];
  /** Of the transactions that were asked about, those that failed on the chain. */
  readonly reverted: ReadonlySet<string>;
}

export interface BookQuestion {
  readonly chain: string;
  readonly url: string;
  /** As partners are told: on Solana owners, on Stellar muxed addresses. */
  readonly addresses: readonly string[];
  readonly hashes: readonly string[];
}
