import type { Currency } from './currency.js';

export const GHS: Currency = {
  code: 'GHS',
  country: 'GH',
  country_name: 'Ghana',
  phone_code: '233',
  decimals: 2,
  bankTransfer: null,
  disburse: null,
};
