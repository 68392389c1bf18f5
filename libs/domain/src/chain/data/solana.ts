import type { OtherChain } from '../chain.js';

export const SOLANA: OtherChain = {
  name: 'SOLANA',
  aliases: [],
  family: 'solana',
  nativeCoin: 'SOL',
  tokens: [
    {
      symbol: 'USDC', aliases: [], onchainSymbol: 'USDC',
      address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6, peg: 'USD',
      enabled: true, issuance: 'native', sources: ['C1', 'C2', 'P1', 'I1'],
    },
    {
      symbol: 'USDT', aliases: [], onchainSymbol: 'USDT',
      address: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', decimals: 6, peg: 'USD',
      enabled: true, issuance: 'native', sources: ['C1', 'P1', 'I1', 'T1'],
    },
    {
      symbol: 'EURC', aliases: [], onchainSymbol: 'EURC',
      address: 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr', decimals: 6, peg: 'EUR',
      enabled: false, issuance: 'native', sources: ['C1', 'I1'],
    },
    // Token-2022 mint (general knowledge, not re-verified): different ATA address, possible extensions
    {
      symbol: 'PYUSD', aliases: [], onchainSymbol: 'PYUSD',
      address: '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo', decimals: 6, peg: 'USD',
      enabled: false, issuance: 'native', sources: ['C1'],
    },
  ],
  lookalikes: [],
};
