import { isSolanaAddress, readTransactionId } from '@vuka/domain';

import type { ChainReader } from '../reader/chain-reader.js';
import { createReader, type ReaderOptions } from '../reader/create-reader.js';

import { OurAccounts } from './our-accounts.js';
import { SolanaEndpoint, type SolanaFacts } from './solana-endpoint.js';

export type { SolanaFacts } from './solana-endpoint.js';

/** Bytes: inner calls of one transaction, memos of a thousand signatures. */
export const LONGEST_BYTES = {
  getTransaction: 2 * 1024 * 1024,
  getSignaturesForAddress: 4 * 1024 * 1024,
  getMultipleAccounts: 256 * 1024,
} as const;

/** Throws BootError: see createReader. */
export function createSolanaReader(options: ReaderOptions<SolanaFacts>): Promise<ChainReader> {
  const accounts = new OurAccounts(options.chain.tokens);
  return createReader(options, {
    identity: ({ genesisHash }) => genesisHash,
    longestBytes: LONGEST_BYTES,
    isTransactionId: (text) => readTransactionId('solana', text) === text,
    isAddress: isSolanaAddress,
    endpoint: (parts) => new SolanaEndpoint(parts, accounts),
  });
}
