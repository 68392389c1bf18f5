import type { Currency } from './currency.js';

export const UGX: Currency = {
  code: 'UGX',
  country: 'UG',
  country_name: 'Uganda',
  phone_code: '256',
  phone: { national: /^7\d{8}$/, bareAccepted: false, example: '0772345678' },
  decimals: 0,
  bankTransfer: null,
  disburse: null,
};
