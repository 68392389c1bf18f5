import type { NamedChoice } from './currency/currency.js';

/** How a chain writes transactions and addresses. */
export type ChainFamily = 'evm' | 'solana' | 'stellar';

export interface Chain extends NamedChoice {
  readonly family: ChainFamily;
}

/** Chains a deposit may be on (interface.md, `chain`; aliases of decisions.md section 1). */
export const CHAINS: readonly Chain[] = [
  { name: 'BASE', aliases: [], family: 'evm' },
  { name: 'CELO', aliases: [], family: 'evm' },
  { name: 'STELLAR', aliases: [], family: 'stellar' },
  { name: 'POLYGON', aliases: ['MATIC'], family: 'evm' },
  { name: 'SOLANA', aliases: [], family: 'solana' },
  { name: 'ETHEREUM', aliases: ['ETH'], family: 'evm' },
  { name: 'BNB', aliases: ['BSC', 'BINANCE'], family: 'evm' },
  { name: 'AVALANCHE', aliases: ['AVAX'], family: 'evm' },
  { name: 'ARBITRUM', aliases: ['ARB'], family: 'evm' },
];

/** Which chain is meant where a request names none; no other is looked at. */
export const DEFAULT_CHAIN = 'CELO';

/** How a transaction is named there; `rule` completes "transaction_hash must be …". */
export const TRANSACTION_HASHES: Readonly<Record<ChainFamily, { readonly pattern: RegExp; readonly rule: string }>> = {
  evm: { pattern: /^(0[xX])?[0-9a-fA-F]{64}$/, rule: '64 hexadecimal digits, with or without 0x' },
  stellar: { pattern: /^[0-9a-fA-F]{64}$/, rule: '64 hexadecimal digits' },
  // A signature of 64 bytes in base58.
  solana: { pattern: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/, rule: '64 to 88 characters of base58' },
};
