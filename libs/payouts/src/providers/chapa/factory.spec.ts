import { describe, expect, it } from '@jest/globals';

import { chapa } from './factory.js';

const ROW = {
  id: 'chapa',
  base_url: 'https://api.chapa.co',
  secret: 'chapa',
  countries: ['ET'],
  accepts_stablecoin_funds: 'consent',
};
const limit = (row: object) => ({ ...ROW, limits: [{ network: 'Telebirr', min: '10', max: '500', ...row }] });

describe('a row of Chapa', () => {
  it('takes its options', () => {
    for (const option of [
      { decimals: 2 },
      { approvals_sign: 'constant' },
      { charge_is_on_top: true },
      { account_name: 'Vuka Pay' },
      { dedupes_for_ms: null },
      { not_found_proves_after_ms: 900_000 },
    ])
      expect(chapa.row.safeParse({ ...ROW, ...option }).success).toBe(true);
  });

  it.each([
    [{ decimals: 1 }],
    [{ approvals_sign: 'none' }],
    [{ account_name: 'ABEBE, B.' }],
    [{ not_found_proves_after_ms: 0 }],
    [{ signing_secret: 'in the wrong file' }],
  ])('refuses %j', (option) => {
    expect(chapa.row.safeParse({ ...ROW, ...option }).success).toBe(false);
  });

  it('carries whole birr within the published limits, or cents and limits of the account', () => {
    const told = (row: Parameters<typeof chapa.carries>[0]) =>
      chapa
        .carries(row)
        .map(({ network, decimals, limits }) => [network, decimals, limits?.minMinor, limits?.maxMinor].join(' '));
    expect(told({})).toEqual(['Telebirr 0 100 7500000', 'Cbe Birr 0 100 30000000', 'MPESA 0 100 7500000']);
    expect(told({ decimals: 2, limits: [{ network: 'MPESA', min: '5.50', max: '100' }] })).toEqual([
      'Telebirr 2 100 7500000',
      'Cbe Birr 2 100 30000000',
      'MPESA 2 550 10000',
    ]);
  });

  it.each([[{ network: 'MTN' }], [{ min: '1e1' }], [{ min: '501' }], [{ min: 10 }]])(
    'refuses limits of %j',
    (change) => {
      expect(chapa.row.safeParse(limit({})).success).toBe(true);
      expect(chapa.row.safeParse(limit(change)).success).toBe(false);
    },
  );
});
