import { KES_BANKS } from '../bank/data/kes.js';
import type { Currency } from './currency.js';

export const KES: Currency = {
  code: 'KES',
  country: 'KE',
  country_name: 'Kenya',
  phone_code: '254',
  decimals: 2,
  bankTransfer: {
    decimals: 2,
    minMinor: 100_00n,
    maxMinor: 250_000_00n,
    accountNumber: { pattern: /^\d{4,20}$/, rule: '4 to 20 digits' },
    bankDirectory: KES_BANKS,
  },
};
