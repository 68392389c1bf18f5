import type { Currency } from './currency.js';

export const ETB: Currency = {
  code: 'ETB',
  country: 'ET',
  country_name: 'Ethiopia',
  phone_code: '251',
  phone: { national: /^[789]\d{8}$/, bareAccepted: false, example: '0911234567' },
  decimals: 2,
  bankTransfer: null,
  disburse: null,
};
