import type { EvmChain } from '../chain.js';
import { DEFAULT_USD_CENTS, SMALL_USD_CENTS } from '../finality.js';

export const CELO: EvmChain = {
  name: 'CELO',
  aliases: [],
  title: 'Celo',
  family: 'evm',
  chainId: 42220,
  nativeCoin: 'CELO',
  blockMs: 1_000,
  searchForMs: 45 * 60_000,
  leastRefundCents: 10n,
  // The coin: above USD 10.7, August 2021.
  fees: { mostPerUnit: 500n * 10n ** 9n, coinDecimals: 18, mostCoinCents: 1_200n, source: 'PH' },
  // Its sequencer takes only finalized blocks of Ethereum and stalls with it, so depth may stand in for `safe`.
  finality: {
    version: 1,
    tiers: [
      { maxUsdCents: SMALL_USD_CENTS, tag: null, minDepth: 12, depthWithoutTag: null },
      { maxUsdCents: DEFAULT_USD_CENTS, tag: 'safe', minDepth: 12, depthWithoutTag: 300 },
      { maxUsdCents: null, tag: 'finalized', minDepth: 12, depthWithoutTag: null },
    ],
    maxTagLagMs: 40 * 60_000,
  },
  tokens: [
    {
      symbol: 'USDC', aliases: [], onchainSymbol: 'USDC',
      address: '0xcebA9300f2b948710d2653dD7B07f33A8B32118C', decimals: 6, peg: 'USD',
      enabled: true, issuance: 'native', sources: ['C1', 'CE1', 'U1', 'A1'],
    },
    {
      symbol: 'USDT', aliases: ['USD₮'], onchainSymbol: 'USD₮',
      address: '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e', decimals: 6, peg: 'USD',
      enabled: true, issuance: 'native', sources: ['C1', 'CE1', 'U1', 'A1', 'T1'],
    },
    // On-chain name is now USDm. Match by address only; the API may accept CUSD, cUSD, USDm, but must not fold letter case (USDM is another
    // issuer's token).
    {
      symbol: 'CUSD', aliases: ['cUSD', 'USDm'], onchainSymbol: 'USDm (before: cUSD)',
      address: '0x765DE816845861e75A25fCA122bb6898B8B1282a', decimals: 18, peg: 'USD',
      enabled: true, issuance: 'native', sources: ['CE1', 'A1'],
    },
    {
      symbol: 'KESM', aliases: ['KESm'], onchainSymbol: 'KESm (before: cKES)',
      address: '0x456a3D042C0DbD3db53D5489e98dFb038553B0d0', decimals: 18, peg: 'KES',
      enabled: false, issuance: 'native', sources: ['CE1'],
    },
    {
      symbol: 'NGNM', aliases: ['NGNm'], onchainSymbol: 'NGNm',
      address: '0xE2702Bd97ee33c88c8f6f92DA3B733608aa76F71', decimals: 18, peg: 'NGN',
      enabled: false, issuance: 'native', sources: ['CE1'],
    },
    {
      symbol: 'GHSM', aliases: ['GHSm'], onchainSymbol: 'GHSm',
      address: '0xfAeA5F3404bbA20D3cc2f8C4B0A888F55a3c7313', decimals: 18, peg: 'GHS',
      enabled: false, issuance: 'native', sources: ['CE1'],
    },
  ],
  lookalikes: [
    {
      symbol: 'USDM', address: '0x59D9356E565Ab3A36dD77763Fc0d87fEaf85508C',
      why: 'Mountain Protocol USDM: differs from Mento\'s USDm only by letter case', sources: ['CE1'],
    },
    {
      symbol: 'USA₮', address: '0xD2ab3C9A02DBBAB236BfEC45D1d755DF4267F771',
      why: 'Anchorage USA₮: one letter from USD₮; docs only say that it is not 18 decimals', sources: ['CE1'],
    },
  ],
};
