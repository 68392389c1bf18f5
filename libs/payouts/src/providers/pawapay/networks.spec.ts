import { describe, expect, it } from '@jest/globals';
import { CURRENCIES, type Currency } from '@vuka/domain';

import { PAWAPAY_CAPABILITIES } from './capabilities.js';
import { networkOf, PAWAPAY_CURRENCIES, PAWAPAY_NETWORKS } from './networks.js';

/** Every network that our rules can name, with the currencies that it is paid in. */
const OURS = Object.values<Currency>(CURRENCIES).flatMap(({ payouts }) =>
  payouts.flatMap(({ currency, destinations }) =>
    destinations.flatMap((one) =>
      one.kind === 'mobile' ? one.networks.map(({ name, decimals }) => ({ currency, name, decimals })) : [],
    ),
  ),
);

describe('networks', () => {
  it('are ones that our rules name, each once', () => {
    for (const { currency, network } of PAWAPAY_NETWORKS)
      expect(OURS).toContainEqual(expect.objectContaining({ currency, name: network }));
    const names = PAWAPAY_NETWORKS.map(({ currency, network }) => `${currency} ${network}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('are the published ones', () => {
    expect(
      PAWAPAY_NETWORKS.map(
        ({ provider, country, currency, decimals }) => `${provider} ${country} ${currency} ${decimals}`,
      ),
    ).toEqual([
      'MPESA_KEN KEN KES 0',
      'MTN_MOMO_UGA UGA UGX 2',
      'AIRTEL_OAPI_UGA UGA UGX 0',
      'MTN_MOMO_GHA GHA GHS 2',
      'AIRTELTIGO_GHA GHA GHS 2',
      'VODAFONE_GHA GHA GHS 2',
      'AIRTEL_MWI MWI MWK 2',
      'TNM_MWI MWI MWK 2',
      'AIRTEL_COD COD CDF 2',
      'AIRTEL_COD COD USD 2',
      'VODACOM_MPESA_COD COD CDF 0',
      'VODACOM_MPESA_COD COD USD 2',
      'MPESA_ETH ETH ETB 2',
    ]);
  });

  it('carry what our rules let through', () => {
    for (const { currency, name, decimals } of OURS) {
      const phone = '+254712345678';
      const network = networkOf(currency, { kind: 'mobile', phone, mobile_network: name });
      if (network) expect(network.decimals).toBeGreaterThanOrEqual(decimals);
    }
  });

  it('pay six currencies and dollars in Congo', () => {
    expect([...PAWAPAY_CURRENCIES].sort()).toEqual(['CDF', 'ETB', 'GHS', 'KES', 'MWK', 'UGX', 'USD']);
    expect(networkOf('USD', { kind: 'mobile', phone: '+243991234567', mobile_network: 'Mpesa' })).toMatchObject({
      provider: 'VODACOM_MPESA_COD',
      decimals: 2,
    });
  });
});

describe('capabilities', () => {
  it('repeat nothing for longer than pawaPay knows what it has', () => {
    const { dedupesForMs, notFoundProvesAfterMs, callTimeoutMs } = PAWAPAY_CAPABILITIES;
    expect(notFoundProvesAfterMs).toBe(15 * 60_000);
    expect(dedupesForMs ?? 0).toBeGreaterThan((notFoundProvesAfterMs ?? 0) + callTimeoutMs);
  });
});
