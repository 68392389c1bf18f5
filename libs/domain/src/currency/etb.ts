import { ETB_BANKS } from '../bank/data/etb.js';
import type { Currency } from './currency.js';
import { NO_FEE } from './number-rules.js';

/** Of every network. */
const WALLET = { decimals: 2, networkLimits: { minMinor: 1_00n, maxMinor: 75_000_00n } };

export const ETB: Currency = {
  code: 'ETB',
  country: 'ET',
  country_id: 231,
  country_name: 'Ethiopia',
  phone_code: '251',
  phone: { national: /^[789]\d{8}$/, bareAccepted: false, example: '0911234567' },
  decimals: 2,
  banks: ETB_BANKS,
  bankTransfer: null,
  payouts: [
    {
      currency: 'ETB',
      serviceFee: NO_FEE,
      destinations: [
        {
          kind: 'mobile',
          limits: { minMinor: 10_00n, maxMinor: 75_000_00n },
          networks: [
            { name: 'Telebirr', aliases: [], ...WALLET },
            { name: 'Cbe Birr', aliases: ['CBEBirr'], ...WALLET },
            { name: 'MPESA', aliases: ['M-Pesa', 'Safaricom', 'Safaricom M-Pesa'], ...WALLET },
          ],
        },
      ],
    },
  ],
  lookups: [{ kind: 'mobile' }],
  networkLimitsSource: 'National Bank of Ethiopia ONPS/10/2025, level 2, from one person to another; from the press',
  sandboxOpeningMinor: 1_000_000_00n,
  sandboxRate: '154.2',
};
