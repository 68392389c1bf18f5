import type { EvmChain } from '../chain.js';
import { DEFAULT_USD_CENTS, SMALL_USD_CENTS } from '../finality.js';

export const AVALANCHE: EvmChain = {
  name: 'AVALANCHE',
  aliases: ['AVAX'],
  title: 'Avalanche C-Chain',
  family: 'evm',
  chainId: 43114,
  nativeCoin: 'AVAX',
  blockMs: 2_000,
  searchForMs: 30 * 60_000,
  leastRefundCents: 10n,
  // The coin's record: USD 147, November 2021.
  fees: { mostPerUnit: 500n * 10n ** 9n, coinDecimals: 18, mostCoinCents: 18_000n, source: 'PH' },
  // Accepted blocks are final.
  finality: {
    version: 1,
    tiers: [
      { maxUsdCents: SMALL_USD_CENTS, tag: 'finalized', minDepth: 1, depthWithoutTag: null },
      { maxUsdCents: DEFAULT_USD_CENTS, tag: 'finalized', minDepth: 1, depthWithoutTag: null },
      { maxUsdCents: null, tag: 'finalized', minDepth: 20, depthWithoutTag: null },
    ],
    maxTagLagMs: 2 * 60_000,
  },
  tokens: [
    {
      symbol: 'USDC',
      aliases: [],
      onchainSymbol: 'USDC',
      address: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
      decimals: 6,
      peg: 'USD',
      enabled: true,
      issuance: 'native',
      sources: ['C1', 'C2', 'U1', 'A1'],
    },
    {
      symbol: 'USDT',
      aliases: ['USDt'],
      onchainSymbol: 'USDt',
      address: '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7',
      decimals: 6,
      peg: 'USD',
      enabled: true,
      issuance: 'native',
      sources: ['C1', 'U1', 'A1', 'T1'],
    },
    {
      symbol: 'EURC',
      aliases: [],
      onchainSymbol: 'EURC',
      address: '0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD',
      decimals: 6,
      peg: 'EUR',
      enabled: false,
      issuance: 'native',
      sources: ['C1', 'C4', 'U1', 'A1'],
    },
  ],
  lookalikes: [
    {
      symbol: 'USDC.e',
      address: '0xA7D7079b0FEaD91F3e65f86E8915Cb59c1a4C664',
      why: 'bridged',
      sources: ['A1'],
    },
    {
      symbol: 'USDT.e',
      address: '0xc7198437980c041c805A1EDcbA50c1Ce5db95118',
      why: 'bridged; token name equals "Tether USD"',
      sources: ['A1'],
    },
  ],
};
