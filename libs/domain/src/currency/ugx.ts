import type { Currency } from './currency.js';
import { NO_FEE } from './number-rules.js';

/** Ours and the networks' own. */
const PER_PAYOUT = { minMinor: 500n, maxMinor: 5_000_000n };

export const UGX: Currency = {
  code: 'UGX',
  country: 'UG',
  country_id: 800,
  country_name: 'Uganda',
  phone_code: '256',
  phone: { national: /^7\d{8}$/, bareAccepted: false, example: '0772345678' },
  decimals: 0,
  banks: [],
  bankTransfer: null,
  payouts: [
    {
      currency: 'UGX',
      serviceFee: NO_FEE,
      destinations: [
        {
          kind: 'mobile',
          limits: PER_PAYOUT,
          networks: [
            {
              name: 'MTN',
              aliases: ['MTN MoMo', 'MTN Mobile Money', 'MTN Uganda'],
              decimals: 0,
              networkLimits: PER_PAYOUT,
            },
            { name: 'Airtel', aliases: ['Airtel Money', 'Airtel Uganda'], decimals: 0, networkLimits: PER_PAYOUT },
          ],
        },
      ],
    },
  ],
  lookups: [{ kind: 'mobile' }],
  networkLimitsSource:
    'MTN Uganda Key Facts Document, high-value tier; Bank of Uganda directive of 2022-03-01 for both',
  sandboxOpeningMinor: 1_000_000n,
  sandboxRate: '3560',
};
