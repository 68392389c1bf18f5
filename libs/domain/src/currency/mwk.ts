import { MWK_BANKS } from '../bank/data/mwk.js';
import type { Currency } from './currency.js';
import { ANY_ACCOUNT_NUMBER, NO_FEE } from './number-rules.js';

const MOBILE_NETWORK = { decimals: 2, networkLimits: { minMinor: 50_00n, maxMinor: 750_000_00n } };

/** decisions.md section 3: ours, not published. */
const TO_BANKS = { minMinor: 100_00n, maxMinor: 5_000_000_00n };

export const MWK: Currency = {
  code: 'MWK',
  country: 'MW',
  country_id: 454,
  country_name: 'Malawi',
  phone_code: '265',
  // Wallets start with 8 (TNM) or 9 (Airtel); other mobile ranges have none.
  phone: { national: /^[89]\d{8}$/, bareAccepted: false, example: '0991234567' },
  decimals: 2,
  banks: MWK_BANKS,
  bankTransfer: { decimals: 2, accountNumber: ANY_ACCOUNT_NUMBER, ...TO_BANKS, serviceFee: NO_FEE },
  payouts: [
    {
      currency: 'MWK',
      serviceFee: NO_FEE,
      destinations: [
        {
          kind: 'mobile',
          limits: { minMinor: 100_00n, maxMinor: 750_000_00n },
          networks: [
            { name: 'Airtel Money', aliases: ['Airtel', 'Airtel Malawi'], ...MOBILE_NETWORK },
            { name: 'TNM Mpamba', aliases: ['TNM', 'Mpamba'], ...MOBILE_NETWORK },
          ],
        },
        {
          kind: 'bank',
          limits: TO_BANKS,
          decimals: 2,
          accountNumber: ANY_ACCOUNT_NUMBER,
          namesRequired: true,
          networkLimits: null,
        },
      ],
    },
  ],
  lookups: [{ kind: 'mobile' }, { kind: 'bank', bankNameRequired: true }],
  networkLimitsSource:
    'Reserve Bank of Malawi as restated by a wallet issuer, pawaPay says the same; banks publish none',
  sandboxOpeningMinor: 10_000_000_00n,
  sandboxRate: '1733',
};
