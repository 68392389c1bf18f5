import type { Currency } from './currency.js';

export const UGX: Currency = {
  code: 'UGX',
  country: 'UG',
  country_name: 'Uganda',
  phone_code: '256',
  decimals: 0,
  bankTransfer: null,
  disburse: null,
};
