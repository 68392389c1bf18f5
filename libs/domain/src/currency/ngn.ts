import { NGN_BANKS } from '../bank/data/ngn.js';
import type { Currency } from './currency.js';

export const NGN: Currency = {
  code: 'NGN',
  country: 'NG',
  country_name: 'Nigeria',
  phone_code: '234',
  phone: { national: /^[789]\d{9}$/, bareAccepted: false, example: '08021234567' },
  decimals: 2,
  bankTransfer: {
    decimals: 2,
    minMinor: 100_00n,
    maxMinor: 1_000_000_00n,
    accountNumber: { pattern: /^\d{10}$/, rule: 'exactly 10 digits' },
    bankDirectory: NGN_BANKS,
  },
  disburse: null,
};
