import type { EvmChain } from '../chain.js';
import { DEFAULT_USD_CENTS, SMALL_USD_CENTS } from '../finality.js';

export const BNB: EvmChain = {
  name: 'BNB',
  aliases: ['BSC', 'BINANCE'],
  title: 'BNB Smart Chain (BEP-20)',
  family: 'evm',
  chainId: 56,
  nativeCoin: 'BNB',
  blockMs: 750,
  searchForMs: 30 * 60_000,
  leastRefundCents: 10n,
  // The coin's record: USD 1,380, October 2025.
  fees: { mostPerUnit: 50n * 10n ** 9n, coinDecimals: 18, mostCoinCents: 180_000n, source: 'PH' },
  // Fast finality takes two blocks; without it, 120.
  finality: {
    version: 1,
    tiers: [
      { maxUsdCents: SMALL_USD_CENTS, tag: 'finalized', minDepth: 0, depthWithoutTag: null },
      { maxUsdCents: DEFAULT_USD_CENTS, tag: 'finalized', minDepth: 15, depthWithoutTag: null },
      { maxUsdCents: null, tag: 'finalized', minDepth: 120, depthWithoutTag: null },
    ],
    maxTagLagMs: 5 * 60_000,
  },
  tokens: [
    {
      symbol: 'USDT',
      aliases: [],
      onchainSymbol: 'USDT',
      address: '0x55d398326f99059fF775485246999027B3197955',
      decimals: 18,
      peg: 'USD',
      enabled: true,
      issuance: 'binance-peg',
      sources: ['U1', 'A1', 'P1', 'BN'],
    },
    {
      symbol: 'USDC',
      aliases: [],
      onchainSymbol: 'USDC',
      address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
      decimals: 18,
      peg: 'USD',
      enabled: true,
      issuance: 'binance-peg',
      sources: ['U1', 'A1', 'P1', 'C5'],
    },
  ],
  lookalikes: [],
};
