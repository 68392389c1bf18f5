// Paystack in the rehearsal.
import { randomBytes } from 'node:crypto';

const KEY_BYTES = 20;
const MINOR_DIGITS = 2;

/** Hundredths in all of its currencies. */
const decimalOf = (minor) => {
  const digits = minor.padStart(MINOR_DIGITS + 1, '0');
  return `${digits.slice(0, -MINOR_DIGITS)}.${digits.slice(-MINOR_DIGITS)}`;
};

export const paystack = {
  id: 'paystack',
  name: 'Paystack',
  row: () => ({ countries: ['NG', 'KE', 'GH'] }),
  // Live refuses a key of its test mode.
  secret: () => ({ credential: `sk_live_${randomBytes(KEY_BYTES).toString('hex')}` }),
  settings: ({ credential, callbackUrl }) => ({
    SECRET: credential,
    WEBHOOK_URL: callbackUrl,
    // The older spelling has no fee: that is told by the first late status, minutes after the books are read here.
    WEBHOOK_SPELLING: 'camel',
    OPENING_MINOR: '0',
    FEE_MINOR: '100',
  }),
  tellsFees: true,
  floats: [
    { wallet: 'main', currency: 'NGN', amount: '5000000' },
    { wallet: 'main', currency: 'KES', amount: '1000000' },
    { wallet: 'main', currency: 'GHS', amount: '50000' },
  ],
  topUp: ({ currency, amount }) => [`/balances/${currency}/top-up`, { minor: amount + '0'.repeat(MINOR_DIGITS) }],
  deliveries: '/webhooks',
  // Its signature has no time, so its clock may be moved.
  callsAgainAfterMs: 180_000,
  book: ({ transfers, balances }) => ({
    payouts: transfers.map(
      ({ reference, transfer_code: code, status, account_number: account, payments, ...rest }) => ({
        id: reference,
        account,
        hasEnded: status === 'success' || status === 'failed',
        // The receipt that it tells of a transfer is the transfer's code.
        payments: payments.map(({ reversed }) => ({ receipt: code, reversed })),
        more: { ...rest, code },
      }),
    ),
    wallets: balances.map(({ currency, balance, fees }) => ({
      wallet: 'main',
      currency,
      balance: decimalOf(balance),
      fees: decimalOf(fees),
    })),
  }),
  saysPaid: ({ id, account, more: { amount, currency, type, bank_code: bank, code } }) => ({
    event: 'transfer.success',
    data: {
      amount,
      currency,
      reference: id,
      status: 'success',
      transfer_code: code,
      recipient: { type, currency, details: { account_number: account, bank_code: bank } },
    },
  }),
  /** Last digits of a recipient (apps/sandbox/src/providers/paystack/behaviour/numbers.ts). */
  digits: { lost: '0001', refused: '0403', forged: '0311', late: '0103' },
  codes: { refused: 'recipient_not_found', forged: 'rail_rejected' },
};
