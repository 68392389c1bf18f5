import type { EvmChain } from '../chain.js';
import { DEFAULT_USD_CENTS, SMALL_USD_CENTS } from '../finality.js';

export const BASE: EvmChain = {
  name: 'BASE',
  aliases: [],
  title: 'Base',
  family: 'evm',
  chainId: 8453,
  nativeCoin: 'ETH',
  blockMs: 2_000,
  searchForMs: 45 * 60_000,
  leastRefundCents: 10n,
  // The coin is Ethereum's.
  fees: { mostPerUnit: 20n * 10n ** 9n, coinDecimals: 18, mostCoinCents: 600_000n, source: 'PH' },
  // `safe`: the batch is on Ethereum; `finalized`: that Ethereum block is final.
  finality: {
    version: 1,
    tiers: [
      { maxUsdCents: SMALL_USD_CENTS, tag: null, minDepth: 10, depthWithoutTag: null },
      { maxUsdCents: DEFAULT_USD_CENTS, tag: 'safe', minDepth: 10, depthWithoutTag: null },
      { maxUsdCents: null, tag: 'finalized', minDepth: 10, depthWithoutTag: null },
    ],
    maxTagLagMs: 40 * 60_000,
  },
  tokens: [
    {
      symbol: 'USDC',
      aliases: [],
      onchainSymbol: 'USDC',
      address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      decimals: 6,
      peg: 'USD',
      enabled: true,
      issuance: 'native',
      sources: ['C1', 'C2', 'U1', 'A1'],
    },
    // Bridged, in neither the Uniswap list nor Circle's registry; low liquidity: enable only by decision.
    {
      symbol: 'USDT',
      aliases: [],
      onchainSymbol: 'USDT',
      address: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2',
      decimals: 6,
      peg: 'USD',
      enabled: false,
      issuance: 'bridged',
      sources: ['P1', 'CW'],
    },
    {
      symbol: 'EURC',
      aliases: [],
      onchainSymbol: 'EURC',
      address: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
      decimals: 6,
      peg: 'EUR',
      enabled: false,
      issuance: 'native',
      sources: ['C1', 'C4', 'U1', 'A1'],
    },
  ],
  lookalikes: [
    {
      symbol: 'USDbC',
      address: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA',
      why: 'old bridged USDC',
      sources: ['U1', 'A1'],
    },
  ],
};
