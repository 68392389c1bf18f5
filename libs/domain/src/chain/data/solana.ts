import type { SolanaChain } from '../chain.js';

export const SOLANA: SolanaChain = {
  name: 'SOLANA',
  aliases: [],
  title: 'Solana (SPL)',
  family: 'solana',
  nativeCoin: 'SOL',
  genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  blockMs: 400,
  searchForMs: 30 * 60_000,
  // A new recipient needs a token account; we pay its rent, 0.002 SOL.
  leastRefundCents: 50n,
  // About 0.00001 SOL per transfer. The coin's record: USD 295, January 2025.
  fees: { mostPerUnit: 50_000n, coinDecimals: 9, mostCoinCents: 40_000n, source: 'PH' },
  mostRentADay: 50_000_000n,
  // Commitment `finalized` for every value: 31 slots, about 13 s (chains.md section 2).
  finality: {
    version: 1,
    tiers: [{ maxUsdCents: null, tag: 'finalized', minDepth: 0, depthWithoutTag: null }],
    maxTagLagMs: 2 * 60_000,
  },
  tokens: [
    {
      symbol: 'USDC',
      aliases: [],
      onchainSymbol: 'USDC',
      address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      decimals: 6,
      peg: 'USD',
      enabled: true,
      issuance: 'native',
      sources: ['C1', 'C2', 'P1', 'I1'],
    },
    {
      symbol: 'USDT',
      aliases: [],
      onchainSymbol: 'USDT',
      address: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
      decimals: 6,
      peg: 'USD',
      enabled: true,
      issuance: 'native',
      sources: ['C1', 'P1', 'I1', 'T1'],
    },
    {
      symbol: 'EURC',
      aliases: [],
      onchainSymbol: 'EURC',
      address: 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr',
      decimals: 6,
      peg: 'EUR',
      enabled: false,
      issuance: 'native',
      sources: ['C1', 'I1'],
    },
    // Token-2022 mint (not re-verified): different ATA address, possible extensions
    {
      symbol: 'PYUSD',
      aliases: [],
      onchainSymbol: 'PYUSD',
      address: '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo',
      decimals: 6,
      peg: 'USD',
      program: 'token-2022',
      enabled: false,
      issuance: 'native',
      sources: ['C1'],
    },
  ],
  lookalikes: [],
};
