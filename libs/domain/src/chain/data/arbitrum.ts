import type { EvmChain } from '../chain.js';
import { DEFAULT_USD_CENTS, SMALL_USD_CENTS } from '../finality.js';

export const ARBITRUM: EvmChain = {
  name: 'ARBITRUM',
  aliases: ['ARB'],
  title: 'Arbitrum One',
  family: 'evm',
  chainId: 42161,
  nativeCoin: 'ETH',
  blockMs: 250,
  searchForMs: 45 * 60_000,
  leastRefundCents: 10n,
  // The coin is Ethereum's.
  fees: { mostPerUnit: 20n * 10n ** 9n, coinDecimals: 18, mostCoinCents: 600_000n, source: 'PH' },
  // Tags, not depth: many fast blocks can depend on one batch that is not posted yet.
  finality: {
    version: 1,
    tiers: [
      { maxUsdCents: SMALL_USD_CENTS, tag: null, minDepth: 240, depthWithoutTag: null },
      { maxUsdCents: DEFAULT_USD_CENTS, tag: 'safe', minDepth: 240, depthWithoutTag: null },
      { maxUsdCents: null, tag: 'finalized', minDepth: 240, depthWithoutTag: null },
    ],
    maxTagLagMs: 40 * 60_000,
  },
  tokens: [
    {
      symbol: 'USDC',
      aliases: [],
      onchainSymbol: 'USDC',
      address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
      decimals: 6,
      peg: 'USD',
      enabled: true,
      issuance: 'native',
      sources: ['C1', 'C2', 'U1', 'A1'],
    },
    {
      symbol: 'USDT',
      aliases: ['USD₮0', 'USDT0'],
      onchainSymbol: 'USD₮0',
      address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
      decimals: 6,
      peg: 'USD',
      enabled: true,
      issuance: 'usdt0',
      sources: ['C1', 'U1', 'A1'],
    },
    // Uniswap list gives 0x327006c8712FE0AbdbbD55B7999DB39b0967342E (probably bridged): confirm at Paxos before
    // enabling
    {
      symbol: 'PYUSD',
      aliases: [],
      onchainSymbol: 'PYUSD',
      address: '0x46850aD61C2B7d64d08c9C754F45254596696984',
      decimals: 6,
      peg: 'USD',
      enabled: false,
      issuance: 'native',
      sources: ['C1', 'R1'],
    },
  ],
  lookalikes: [
    {
      symbol: 'USDC.e',
      address: '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8',
      why: 'bridged; Aave list shows its symbol as plain "USDC"',
      sources: ['U1', 'A1'],
    },
  ],
};
