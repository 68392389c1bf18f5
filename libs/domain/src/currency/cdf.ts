import type { Currency } from './currency.js';
import { NO_FEE } from './number-rules.js';

const AIRTEL = { name: 'Airtel Money', aliases: ['Airtel', 'Airtel Congo'], decimals: 2 };
const MPESA = { name: 'Mpesa', aliases: ['M-Pesa', 'Vodacom', 'Vodacom M-Pesa'] };

/** Of both networks. */
const IN_USD = { minMinor: 1_00n, maxMinor: 2_500_00n };

/** M-Pesa pays whole francs, but dollars with cents. */
export const CDF: Currency = {
  code: 'CDF',
  country: 'CD',
  country_id: 180,
  country_name: 'Democratic Republic of the Congo',
  phone_code: '243',
  phone: { national: /^[89]\d{8}$/, bareAccepted: false, example: '0991234567' },
  decimals: 2,
  banks: [],
  bankTransfer: null,
  payouts: [
    {
      currency: 'CDF',
      serviceFee: NO_FEE,
      destinations: [
        {
          kind: 'mobile',
          limits: { minMinor: 500_00n, maxMinor: 1_000_000_00n },
          networks: [
            { ...AIRTEL, networkLimits: { minMinor: 100_00n, maxMinor: 6_250_000_00n } },
            { ...MPESA, decimals: 0, networkLimits: { minMinor: 500_00n, maxMinor: 1_000_000_00n } },
          ],
        },
      ],
    },
    {
      currency: 'USD',
      serviceFee: NO_FEE,
      destinations: [
        {
          kind: 'mobile',
          limits: { minMinor: 1_00n, maxMinor: 400_00n },
          networks: [
            { ...AIRTEL, networkLimits: IN_USD },
            { ...MPESA, decimals: 2, networkLimits: IN_USD },
          ],
        },
      ],
    },
  ],
  lookups: [{ kind: 'mobile' }],
  networkLimitsSource:
    'francs: pawaPay, AIRTEL_COD and VODACOM_MPESA_COD; dollars: Banque Centrale du Congo, March 2020, the smallest amount is ours',
  sandboxOpeningMinor: 1_000_000_00n,
  sandboxRate: '2240',
};
