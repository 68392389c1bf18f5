import { describe, expect, it } from '@jest/globals';
import { accountName } from '@vuka/domain';

import { floatsOf, walletOf } from './floats.js';
import { PAWAPAY_NETWORKS } from './networks.js';

const mobile = (mobileNetwork: string) => ({ kind: 'mobile', mobileNetwork }) as const;

describe("pawaPay's wallets", () => {
  it('are one for each country, and one for a network that has its own', () => {
    const own = ['AIRTEL_COD'];
    expect(walletOf(mobile('Safaricom'), 'KES', [])).toBe('ke');
    expect(walletOf(mobile('Mpesa'), 'USD', own)).toBe('cd');
    expect([walletOf(mobile('Airtel Money'), 'CDF', []), walletOf(mobile('Airtel Money'), 'CDF', own)]).toEqual([
      'cd',
      'cd-airtel-cod',
    ]);
    // The same name in another country.
    expect(walletOf(mobile('Airtel Money'), 'MWK', own)).toBe('mw');
  });

  it('hold what every network is paid from, once each, and each makes an account', () => {
    for (const own of [[], PAWAPAY_NETWORKS.map(({ provider }) => provider)]) {
      const floats = floatsOf(own);
      const accounts = floats.map(({ wallet, currency }) => accountName.rail('pawapay', wallet, currency));
      expect(new Set(accounts).size).toBe(accounts.length);
      for (const { currency, network } of PAWAPAY_NETWORKS)
        expect(floats).toContainEqual({ wallet: walletOf(mobile(network), currency, own), currency });
    }
  });

  it('pay nothing else', () => {
    for (const via of [mobile('Telebirr'), mobile(''), { kind: 'bank', mobileNetwork: '' } as const])
      expect(walletOf(via, 'KES', [])).toBeNull();
  });
});
