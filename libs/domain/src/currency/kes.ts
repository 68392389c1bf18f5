import { KES_BANKS } from '../bank/data/kes.js';
import type { AmountLimits, Currency, NumberRule } from './currency.js';
import { ANY_ACCOUNT_NUMBER, NO_FEE } from './number-rules.js';

/** decisions.md section 3. */
const PER_PAYOUT: AmountLimits = { minMinor: 20_00n, maxMinor: 250_000_00n };

/** M-PESA pays whole shillings. */
const BUSINESS_NUMBER: NumberRule = { pattern: /^\d{5,7}$/, rule: '5 to 7 digits', example: '247247' };

export const KES: Currency = {
  code: 'KES',
  country: 'KE',
  country_id: 404,
  country_name: 'Kenya',
  phone_code: '254',
  phone: { national: /^[17]\d{8}$/, bareAccepted: true, example: '0712345678' },
  decimals: 2,
  banks: KES_BANKS,
  bankTransfer: {
    decimals: 2,
    accountNumber: ANY_ACCOUNT_NUMBER,
    minMinor: 100_00n,
    maxMinor: 250_000_00n,
    serviceFee: { flatMinor: 30_00n, basisPoints: 0n },
  },
  payouts: [
    {
      currency: 'KES',
      serviceFee: NO_FEE,
      destinations: [
        {
          kind: 'mobile',
          limits: PER_PAYOUT,
          networks: [
            {
              name: 'Safaricom',
              aliases: ['M-Pesa', 'Safaricom M-Pesa'],
              decimals: 0,
              networkLimits: { minMinor: 10_00n, maxMinor: 250_000_00n },
            },
            {
              name: 'Airtel',
              aliases: ['Airtel Money'],
              decimals: 0,
              networkLimits: { minMinor: 1_00n, maxMinor: 250_000_00n },
            },
          ],
        },
        {
          kind: 'paybill',
          limits: PER_PAYOUT,
          decimals: 0,
          shortcode: BUSINESS_NUMBER,
          // M-PESA's AccountReference: longer ones are refused, never cut.
          accountNumber: {
            pattern: /^[A-Za-z0-9](?:[A-Za-z0-9 ._/#-]{0,11}[A-Za-z0-9])?$/,
            rule: '1 to 13 letters, digits, inner spaces or the characters . _ / # -',
            example: 'ACC-12345',
          },
          networkLimits: null,
        },
        { kind: 'till', limits: PER_PAYOUT, decimals: 0, shortcode: BUSINESS_NUMBER, networkLimits: null },
        {
          kind: 'bank',
          limits: PER_PAYOUT,
          decimals: 2,
          accountNumber: ANY_ACCOUNT_NUMBER,
          namesRequired: false,
          networkLimits: { minMinor: 1_00n, maxMinor: 999_999_00n },
        },
      ],
    },
  ],
  lookups: [{ kind: 'mobile' }, { kind: 'paybill' }, { kind: 'till' }],
  networkLimitsSource:
    'Daraja B2C (FAQ 9); Airtel Kenya, February 2024; PesaLink as commonly quoted; paybills and tills publish none',
  sandboxOpeningMinor: 10_000_000_00n,
  sandboxRate: '129.35',
};
