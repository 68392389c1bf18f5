import type { Currency } from './currency.js';

export const GHS: Currency = {
  code: 'GHS',
  country: 'GH',
  country_name: 'Ghana',
  phone_code: '233',
  phone: { national: /^[25]\d{8}$/, bareAccepted: false, example: '0241234567' },
  decimals: 2,
  bankTransfer: null,
  disburse: null,
};
