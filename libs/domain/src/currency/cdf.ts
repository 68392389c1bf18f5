import type { Currency } from './currency.js';

export const CDF: Currency = {
  code: 'CDF',
  country: 'CD',
  country_name: 'Democratic Republic of the Congo',
  phone_code: '243',
  phone: { national: /^[89]\d{8}$/, bareAccepted: false, example: '0991234567' },
  decimals: 2,
  bankTransfer: null,
  disburse: null,
};
