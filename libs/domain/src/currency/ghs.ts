import { GHS_BANKS } from '../bank/data/ghs.js';
import type { Currency } from './currency.js';
import { NO_FEE } from './number-rules.js';

export const GHS: Currency = {
  code: 'GHS',
  country: 'GH',
  country_id: 288,
  country_name: 'Ghana',
  phone_code: '233',
  phone: { national: /^[25]\d{8}$/, bareAccepted: false, example: '0241234567' },
  decimals: 2,
  banks: GHS_BANKS,
  bankTransfer: null,
  payouts: [
    {
      currency: 'GHS',
      serviceFee: NO_FEE,
      destinations: [
        {
          kind: 'mobile',
          limits: { minMinor: 5_00n, maxMinor: 5_000_00n },
          networks: [
            {
              name: 'MTN',
              aliases: ['MTN MoMo', 'MTN Mobile Money', 'MTN Ghana'],
              decimals: 2,
              networkLimits: { minMinor: 1_00n, maxMinor: 25_000_00n },
            },
            {
              name: 'AirtelTigo',
              aliases: ['AirtelTigo Money', 'Airtel Tigo', 'AT', 'AT Money'],
              decimals: 2,
              networkLimits: { minMinor: 1_00n, maxMinor: 10_000_00n },
            },
            {
              name: 'Telecel',
              aliases: ['Telecel Cash', 'Vodafone', 'Vodafone Cash'],
              decimals: 2,
              networkLimits: { minMinor: 1_00n, maxMinor: 25_000_00n },
            },
          ],
        },
      ],
    },
  ],
  lookups: [{ kind: 'mobile' }],
  networkLimitsSource:
    'Bank of Ghana since 2024-03-01, which caps the day and not the payment; AirtelTigo: pawaPay, the smaller',
  sandboxOpeningMinor: 1_000_000_00n,
  sandboxRate: '10.95',
};
