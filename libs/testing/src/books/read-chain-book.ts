import type { BookQuestion, ChainBook } from './chain-book.js';
import { chainFact } from './chain-facts.js';
import { readEvmBook } from './evm-book.js';
import { readSolanaBook } from './solana-book.js';
import { readStellarBook } from './stellar-book.js';

/** Knows only the addresses and the accepted tokens, as an outsider would. */
export function readChainBook(question: BookQuestion): Promise<ChainBook> {
  switch (chainFact(question.chain).family) {
    case 'evm':
      return readEvmBook(question);
    case 'solana':
      return readSolanaBook(question);
    case 'stellar':
      return readStellarBook(question);
  }
}
