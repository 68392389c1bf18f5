// Chapa in the rehearsal. It asks before it pays.
import { randomBytes } from 'node:crypto';

const KEY_BYTES = 20;
const SIGNING_BYTES = 12;

export const chapa = {
  id: 'chapa',
  name: 'Chapa',
  row: () => ({ countries: ['ET'] }),
  // Live refuses a key of its test mode.
  secret: () => ({
    credential: `CHASECK-${randomBytes(KEY_BYTES).toString('hex')}`,
    signing_secret: randomBytes(SIGNING_BYTES).toString('hex'),
  }),
  settings: ({ credential, signing_secret: signing, callbackUrl, approvalUrl }) => ({
    TOKEN: credential,
    SECRET_HASH: signing,
    APPROVAL_SECRET: signing,
    WEBHOOK_URL: callbackUrl,
    APPROVAL_URL: approvalUrl,
    OPENING: '0',
    CHARGE: '1',
  }),
  tellsFees: false,
  floats: [{ wallet: 'main', currency: 'ETB', amount: '500000' }],
  topUp: ({ amount }) => ['/top-up', { amount }],
  deliveries: '/webhooks',
  // Its signature has no time, so its clock may be moved.
  callsAgainAfterMs: 600_000,
  book: ({ transfers, account: { available, charges } }) => ({
    payouts: transfers.map(({ reference, status, accountNumber, payments, ...rest }) => ({
      id: reference,
      account: accountNumber,
      hasEnded: status === 'success' || status === 'failed',
      payments,
      more: rest,
    })),
    wallets: [{ wallet: 'main', currency: 'ETB', balance: available, fees: charges }],
  }),
  saysPaid: ({ id, account, more: { amount, bankCode } }) => ({
    event: 'payout.success',
    type: 'Payout',
    account_number: account,
    bank_id: bankCode,
    amount,
    currency: 'ETB',
    status: 'success',
    reference: id,
    bank_reference: 'FORGED',
  }),
  /** Last digits of a recipient (apps/sandbox/src/providers/chapa/behaviour/numbers.ts). */
  digits: { lost: '0001', refused: '0406', forged: '0312', late: '0101', asked: '0609' },
  codes: { refused: 'recipient_invalid', forged: 'rail_rejected' },
};
