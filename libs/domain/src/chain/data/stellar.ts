import type { StellarChain } from '../chain.js';

export const STELLAR: StellarChain = {
  name: 'STELLAR',
  aliases: [],
  title: 'Stellar',
  family: 'stellar',
  nativeCoin: 'XLM',
  networkPassphrase: 'Public Global Stellar Network ; September 2015',
  blockMs: 5_000,
  searchForMs: 30 * 60_000,
  // 100 stroops; the recipient paid for its own trustline.
  leastRefundCents: 1n,
  // 0.1 XLM per operation. The coin's record: USD 0.94, January 2018.
  fees: { mostPerUnit: 1_000_000n, coinDecimals: 7, mostCoinCents: 120n, source: 'PH' },
  // A closed ledger is final.
  finality: {
    version: 1,
    tiers: [{ maxUsdCents: null, tag: null, minDepth: 0, depthWithoutTag: null }],
    maxTagLagMs: 2 * 60_000,
  },
  tokens: [
    {
      symbol: 'USDC',
      aliases: [],
      onchainSymbol: 'USDC',
      address: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
      decimals: 7,
      peg: 'USD',
      enabled: true,
      issuance: 'native',
      sources: ['C1', 'I1', 'SR'],
    },
    // Recent. Tether issues no USDT on Stellar: every asset with code USDT is something else
    {
      symbol: 'USDT',
      aliases: ['USDT0'],
      onchainSymbol: 'USDT0',
      address: 'GATISXX6BZ6NC7IKQBY37CJD4SOZL3CYZJWXEDG6JVIY4WBS6KXJHN6Q',
      decimals: 7,
      peg: 'USD',
      enabled: false,
      issuance: 'usdt0',
      sources: ['ST1'],
    },
    {
      symbol: 'EURC',
      aliases: [],
      onchainSymbol: 'EURC',
      address: 'GDHU6WRG4IEQXM5NZ4BMPKOXHW76MZM4Y2IEMFDVXBSDP6SJY4ITNPP2',
      decimals: 7,
      peg: 'EUR',
      enabled: false,
      issuance: 'native',
      sources: ['FE'],
    },
  ],
  lookalikes: [],
};
