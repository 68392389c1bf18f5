import { NGN_BANKS } from '../bank/data/ngn.js';
import type { Currency, NumberRule } from './currency.js';
import { NO_FEE } from './number-rules.js';

/** CBN NUBAN standard. */
const NUBAN: NumberRule = { pattern: /^\d{10}$/, rule: 'exactly 10 digits', example: '0123456789' };

const PER_PAYOUT = { minMinor: 100_00n, maxMinor: 1_000_000_00n };

export const NGN: Currency = {
  code: 'NGN',
  country: 'NG',
  country_id: 566,
  country_name: 'Nigeria',
  phone_code: '234',
  phone: { national: /^[789]\d{9}$/, bareAccepted: false, example: '08021234567' },
  decimals: 2,
  banks: NGN_BANKS,
  bankTransfer: { decimals: 2, accountNumber: NUBAN, ...PER_PAYOUT, serviceFee: NO_FEE },
  payouts: [
    {
      currency: 'NGN',
      serviceFee: NO_FEE,
      destinations: [
        {
          kind: 'bank',
          limits: PER_PAYOUT,
          decimals: 2,
          accountNumber: NUBAN,
          namesRequired: true,
          networkLimits: null,
        },
      ],
    },
  ],
  lookups: [{ kind: 'bank', bankNameRequired: false }],
  networkLimitsSource: 'none is published',
  sandboxOpeningMinor: 10_000_000_00n,
  sandboxRate: '1465',
};
