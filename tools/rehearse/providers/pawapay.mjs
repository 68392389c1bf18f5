// pawaPay in the rehearsal.
import { randomBytes } from 'node:crypto';

const TOKEN_BYTES = 24;
/** By country: what pawaPay calls it, and what our ledger does. */
const FLOATS = [
  { country: 'KEN', wallet: 'ke', currency: 'KES', amount: '1000000' },
  { country: 'UGA', wallet: 'ug', currency: 'UGX', amount: '10000000' },
  { country: 'GHA', wallet: 'gh', currency: 'GHS', amount: '50000' },
  { country: 'MWI', wallet: 'mw', currency: 'MWK', amount: '5000000' },
  { country: 'COD', wallet: 'cd', currency: 'CDF', amount: '5000000' },
  { country: 'COD', wallet: 'cd', currency: 'USD', amount: '10000' },
  { country: 'ETH', wallet: 'et', currency: 'ETB', amount: '500000' },
];

export const pawapay = {
  id: 'pawapay',
  name: 'pawaPay',
  row: ({ callbackHost }) => ({ countries: ['KE', 'UG', 'GH', 'MW', 'CD', 'ET'], callback_host: callbackHost }),
  secret: () => ({ credential: randomBytes(TOKEN_BYTES).toString('hex') }),
  settings: ({ credential, callbackUrl }) => ({ TOKEN: credential, CALLBACK_URL: callbackUrl, OPENING: '0', FEE: '1' }),
  tellsFees: false,
  floats: FLOATS,
  topUp: ({ country, currency, amount }) => ['/wallets/top-up', { country, currency, amount }],
  deliveries: '/callbacks',
  // It calls back of statements too, and names no payout.
  outcomesToo: ['unreadable'],
  book: ({ payouts, wallets }) => ({
    payouts: payouts.map(({ payoutId, status, phoneNumber, payments, ...rest }) => ({
      id: payoutId,
      account: phoneNumber,
      hasEnded: status === 'COMPLETED' || status === 'FAILED',
      payments,
      more: { ...rest, status },
    })),
    wallets: wallets.flatMap(({ country, currency, balance, fees }) =>
      FLOATS.filter((float) => float.country === country && float.currency === currency).map(({ wallet }) => ({
        wallet,
        currency,
        balance,
        fees,
      })),
    ),
  }),
  /** As it calls back of what is paid. */
  saysPaid: ({ id, account, more: { amount, currency, country, provider } }) => ({
    payoutId: id,
    status: 'COMPLETED',
    amount,
    currency,
    country,
    recipient: { type: 'MMO', accountDetails: { phoneNumber: account, provider } },
    created: new Date().toISOString(),
    providerTransactionId: 'FORGED',
  }),
  /** Last digits of a recipient (apps/sandbox/src/providers/pawapay/behaviour/numbers.ts). */
  digits: { lost: '0001', refused: '6089', forged: '0312', late: '0103', turnedAway: '0416' },
  codes: { refused: 'recipient_not_found', forged: 'recipient_not_found' },
};
