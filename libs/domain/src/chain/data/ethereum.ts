import type { EvmChain } from '../chain.js';
import { DEFAULT_USD_CENTS, SMALL_USD_CENTS } from '../finality.js';

export const ETHEREUM: EvmChain = {
  name: 'ETHEREUM',
  aliases: ['ETH'],
  title: 'Ethereum (ERC-20)',
  family: 'evm',
  chainId: 1,
  nativeCoin: 'ETH',
  blockMs: 12_000,
  searchForMs: 45 * 60_000,
  leastRefundCents: 500n,
  // A few dollars per transfer; at higher prices it waits. The coin's record: USD 4,960, August 2025.
  fees: { mostPerUnit: 300n * 10n ** 9n, coinDecimals: 18, mostCoinCents: 600_000n, source: 'PH' },
  // Nodes disagree about `safe`, so depth is used up to the large tier.
  finality: {
    version: 1,
    tiers: [
      { maxUsdCents: SMALL_USD_CENTS, tag: null, minDepth: 12, depthWithoutTag: null },
      { maxUsdCents: DEFAULT_USD_CENTS, tag: null, minDepth: 32, depthWithoutTag: null },
      { maxUsdCents: null, tag: 'finalized', minDepth: 32, depthWithoutTag: null },
    ],
    maxTagLagMs: 30 * 60_000,
  },
  tokens: [
    {
      symbol: 'USDC',
      aliases: [],
      onchainSymbol: 'USDC',
      address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      decimals: 6,
      peg: 'USD',
      enabled: true,
      issuance: 'native',
      sources: ['C1', 'C2', 'U1', 'A1'],
    },
    // transfer() returns no bool. The owner can set a fee: read the amount from the Transfer log, never from
    // calldata.
    {
      symbol: 'USDT',
      aliases: [],
      onchainSymbol: 'USDT',
      address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
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
      address: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c',
      decimals: 6,
      peg: 'EUR',
      enabled: false,
      issuance: 'native',
      sources: ['C1', 'U1', 'A1'],
    },
    {
      symbol: 'PYUSD',
      aliases: [],
      onchainSymbol: 'PYUSD',
      address: '0x6c3ea9036406852006290770BEdFcAbA0e23A0e8',
      decimals: 6,
      peg: 'USD',
      enabled: false,
      issuance: 'native',
      sources: ['C1', 'U1', 'A1', 'PX'],
    },
  ],
  lookalikes: [],
};
