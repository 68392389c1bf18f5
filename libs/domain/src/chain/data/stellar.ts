import type { OtherChain } from '../chain.js';

export const STELLAR: OtherChain = {
  name: 'STELLAR',
  aliases: [],
  family: 'stellar',
  nativeCoin: 'XLM',
  tokens: [
    {
      symbol: 'USDC', aliases: [], onchainSymbol: 'USDC',
      address: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN', decimals: 7, peg: 'USD',
      enabled: true, issuance: 'native', sources: ['C1', 'I1', 'SR'],
    },
    // Recent. No Tether-issued USDT exists on Stellar; every asset whose code is USDT is something else
    {
      symbol: 'USDT', aliases: ['USDT0'], onchainSymbol: 'USDT0',
      address: 'GATISXX6BZ6NC7IKQBY37CJD4SOZL3CYZJWXEDG6JVIY4WBS6KXJHN6Q', decimals: 7, peg: 'USD',
      enabled: false, issuance: 'usdt0', sources: ['ST1'],
    },
    {
      symbol: 'EURC', aliases: [], onchainSymbol: 'EURC',
      address: 'GDHU6WRG4IEQXM5NZ4BMPKOXHW76MZM4Y2IEMFDVXBSDP6SJY4ITNPP2', decimals: 7, peg: 'EUR',
      enabled: false, issuance: 'native', sources: ['FE'],
    },
  ],
  lookalikes: [],
};
