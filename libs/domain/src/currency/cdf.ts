import type { Currency } from './currency.js';

export const CDF: Currency = {
  code: 'CDF',
  country: 'CD',
  country_name: 'Democratic Republic of the Congo',
  phone_code: '243',
  decimals: 2,
  bankTransfer: null,
  disburse: null,
};
