import { KES_BANKS } from '../bank/data/kes.js';
import type { AmountLimits, BankRules, Currency, NumberRule } from './currency.js';

const BANK: BankRules = {
  decimals: 2,
  accountNumber: { pattern: /^\d{4,20}$/, rule: '4 to 20 digits' },
  bankDirectory: KES_BANKS,
};

/** decisions.md section 3. */
const PER_PAYOUT: AmountLimits = { minMinor: 20_00n, maxMinor: 250_000_00n };

/** Of a till and of a paybill. M-PESA moves whole shillings. */
const BUSINESS_NUMBER: NumberRule = { pattern: /^\d{5,7}$/, rule: '5 to 7 digits' };

/** Limits of networks: Daraja B2C (FAQ 9); Airtel Kenya since February 2024; PesaLink as commonly quoted. */
export const KES: Currency = {
  code: 'KES',
  country: 'KE',
  country_name: 'Kenya',
  phone_code: '254',
  phone: { national: /^[17]\d{8}$/, bareAccepted: true, example: '0712345678' },
  decimals: 2,
  bankTransfer: { ...BANK, minMinor: 100_00n, maxMinor: 250_000_00n },
  disburse: [
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
        { name: 'Airtel', aliases: ['Airtel Money'], decimals: 0, networkLimits: { minMinor: 1_00n, maxMinor: 250_000_00n } },
      ],
    },
    {
      kind: 'paybill',
      limits: PER_PAYOUT,
      decimals: 0,
      shortcode: BUSINESS_NUMBER,
      // M-PESA's AccountReference: longer ones are refused, never cut.
      accountNumber: { pattern: /^[A-Za-z0-9][A-Za-z0-9-]{0,12}$/, rule: '1 to 13 letters, digits or dashes' },
      networkLimits: null,
    },
    { kind: 'till', limits: PER_PAYOUT, decimals: 0, shortcode: BUSINESS_NUMBER, networkLimits: null },
    {
      ...BANK,
      kind: 'bank',
      limits: PER_PAYOUT,
      namesRequired: false,
      networkLimits: { minMinor: 1_00n, maxMinor: 999_999_00n },
    },
  ],
};
