import { MWK_BANKS } from '../bank/data/mwk.js';
import type { Currency } from './currency.js';

export const MWK: Currency = {
  code: 'MWK',
  country: 'MW',
  country_name: 'Malawi',
  phone_code: '265',
  phone: { national: /^[89]\d{8}$/, bareAccepted: false, example: '0991234567' },
  decimals: 2,
  bankTransfer: {
    decimals: 2,
    minMinor: 100_00n,
    maxMinor: 5_000_000_00n,
    accountNumber: { pattern: /^\d{4,20}$/, rule: '4 to 20 digits' },
    bankDirectory: MWK_BANKS,
  },
  disburse: null,
};
