import type { EvmChain } from '../chain.js';
import { DEFAULT_USD_CENTS, SMALL_USD_CENTS } from '../finality.js';

export const POLYGON: EvmChain = {
  name: 'POLYGON',
  aliases: ['MATIC'],
  title: 'Polygon PoS',
  family: 'evm',
  chainId: 137,
  nativeCoin: 'POL',
  blockMs: 2_000,
  searchForMs: 30 * 60_000,
  leastRefundCents: 10n,
  // The coin's record: USD 2.93, December 2021.
  fees: { mostPerUnit: 3_000n * 10n ** 9n, coinDecimals: 18, mostCoinCents: 400n, source: 'PH' },
  // Milestones stalled and were rewound twice (2025-09-10, 2026-01-12): the tag and a depth.
  finality: {
    version: 1,
    tiers: [
      { maxUsdCents: SMALL_USD_CENTS, tag: 'finalized', minDepth: 0, depthWithoutTag: null },
      { maxUsdCents: DEFAULT_USD_CENTS, tag: 'finalized', minDepth: 16, depthWithoutTag: null },
      { maxUsdCents: null, tag: 'finalized', minDepth: 128, depthWithoutTag: null },
    ],
    maxTagLagMs: 5 * 60_000,
  },
  tokens: [
    {
      symbol: 'USDC',
      aliases: [],
      onchainSymbol: 'USDC',
      address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
      decimals: 6,
      peg: 'USD',
      enabled: true,
      issuance: 'native',
      sources: ['C1', 'C2', 'U1', 'A1'],
    },
    {
      symbol: 'USDT',
      aliases: ['USDT0'],
      onchainSymbol: 'USDT / USDT0',
      address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
      decimals: 6,
      peg: 'USD',
      enabled: true,
      issuance: 'usdt0',
      sources: ['C1', 'U1', 'A1', 'I1', 'GA'],
    },
  ],
  lookalikes: [
    {
      symbol: 'USDC.e',
      address: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
      why: 'PoS-bridged USDC; on-chain symbol may read USDC or USDC.e',
      sources: ['U1', 'A1'],
    },
  ],
};
