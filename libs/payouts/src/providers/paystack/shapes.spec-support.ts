import { createHmac } from 'node:crypto';

import type { PayoutDestination, PayoutInstruction, ProviderCallback } from '../../payout-provider.js';
import { accountOf } from './channels.js';
import { referenceOf } from './reference.js';

/** Bodies as published: PaystackOSS/doc-code-snippets (transfers, recipients, balance), and the pages on transfers. */

export const ATTEMPT_ID = '5b0c3f7a-91d2-8e44-a3f0-0c1d2e3f4a5b';
export const KEY = 'sk_live_0123456789abcdef';
export const TRANSFER_CODE = 'TRF_fpmd0l8uta8upow7';

export const ACCOUNT: PayoutDestination = {
  kind: 'bank',
  account_number: '0123456789',
  bank_code: '058',
  bank_name: 'Guaranty Trust Bank',
};

export const KES_BANKS = new Map([['01', '0001']]);
export const OPTIONS = { reason: 'Payout', kesBanks: KES_BANKS };

export function instruction(more: Partial<PayoutInstruction> = {}): PayoutInstruction {
  return {
    attemptId: ATTEMPT_ID,
    orderId: 'order-1',
    amount: { minor: 1_500_00n, currency: 'NGN' },
    destination: ACCOUNT,
    ...more,
  };
}

const shillings = { minor: 1_500_00n, currency: 'KES' } as const;
const cedis = { minor: 20_50n, currency: 'GHS' } as const;
const ghana = (mobile_network: string): Partial<PayoutInstruction> => ({
  amount: cedis,
  destination: { kind: 'mobile', phone: '+233241234567', mobile_network },
});

/** One of each channel, and how Paystack is to name its recipient. */
export const EACH: readonly (readonly [Partial<PayoutInstruction>, object])[] = [
  [{}, { type: 'nuban', currency: 'NGN', bank_code: '058', account_number: '0123456789' }],
  [
    { amount: shillings, destination: { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' } },
    { type: 'mobile_money', currency: 'KES', bank_code: 'MPESA', account_number: '0712345678' },
  ],
  [
    { amount: shillings, destination: { kind: 'till', shortcode: '247247' } },
    { type: 'mobile_money_business', currency: 'KES', bank_code: 'MPTILL', account_number: '247247' },
  ],
  [
    { amount: shillings, destination: { kind: 'paybill', shortcode: '888880', account_number: 'ACC-12345' } },
    { type: 'mobile_money_business', currency: 'KES', bank_code: 'MPPAYBILL', account_number: '888880' },
  ],
  [
    {
      amount: shillings,
      destination: { kind: 'bank', account_number: '1122334455', bank_code: '01', bank_name: 'KCB' },
    },
    { type: 'kepss', currency: 'KES', bank_code: '0001', account_number: '1122334455' },
  ],
  [ghana('MTN'), { type: 'mobile_money', currency: 'GHS', bank_code: 'MTN', account_number: '0241234567' }],
  [ghana('Telecel'), { type: 'mobile_money', currency: 'GHS', bank_code: 'VOD', account_number: '0241234567' }],
  [ghana('AirtelTigo'), { type: 'mobile_money', currency: 'GHS', bank_code: 'ATL', account_number: '0241234567' }],
];

/** What Paystack would have on record; a recipient that it cannot pay stands there as of another kind. */
export function recordOf(payout: PayoutInstruction, more: object = {}): object {
  const { attemptId, amount, destination } = payout;
  const account = accountOf(amount.currency, destination, KES_BANKS);
  return {
    amount: Number(amount.minor),
    createdAt: '2026-08-01T08:32:21.000Z',
    currency: amount.currency,
    domain: 'live',
    failures: null,
    id: 451930323,
    integration: 463433,
    reason: 'Payout',
    reference: referenceOf(attemptId),
    source: 'balance',
    source_details: null,
    status: 'success',
    titan_code: null,
    transfer_code: TRANSFER_CODE,
    transferred_at: null,
    updatedAt: '2026-08-01T08:34:07.000Z',
    ...(typeof account?.accountReference === 'string' && { account_reference: account.accountReference }),
    recipient: {
      active: true,
      name: 'Vuka recipient',
      recipient_code: 'RCP_rjs1szi4ax5hoeo',
      type: account?.channel.type ?? 'authorization',
      is_deleted: false,
      details: {
        authorization_code: null,
        account_number: account?.accountNumber ?? '0',
        account_name: 'JANE DOE',
        bank_code: account?.bankCode ?? 'OTHER',
        bank_name: 'Guaranty Trust Bank',
      },
    },
    session: { provider: 'nip', id: '110006200324' },
    fee_charged: 1000,
    fees_breakdown: null,
    gateway_response: null,
    ...more,
  };
}

/** The answer of POST /transfer: the recipient is a number there. */
export function queuedOf(payout: PayoutInstruction, more: object = {}): object {
  return {
    status: true,
    message: 'Transfer has been queued',
    data: {
      ...recordOf(payout, { status: 'pending', recipient: 1, fee_charged: undefined, session: undefined }),
      ...more,
    },
  };
}

export const told = (data: unknown, message = 'Transfer retrieved') => ({ status: true, message, data });
export const refused = (message: string, more: object = {}) => ({
  status: false,
  message,
  meta: { nextStep: 'text' },
  ...more,
});
export const NOT_FOUND = { status: false, message: 'Transfer not found' };

export const madeRecipient = (payout: PayoutInstruction, code = 'RCP_1', more: object = {}): object => {
  const account = accountOf(payout.amount.currency, payout.destination, KES_BANKS);
  return told(
    {
      active: true,
      currency: payout.amount.currency,
      domain: 'live',
      id: 1,
      name: 'JANE DOE',
      recipient_code: code,
      type: account?.channel.type,
      is_deleted: false,
      details: {
        authorization_code: null,
        account_number: account?.accountNumber,
        account_name: 'JANE DOE',
        bank_code: account?.bankCode,
        bank_name: 'a bank',
      },
      ...more,
    },
    'Transfer recipient created successfully',
  );
};

export const json = (status: number, body: unknown) => ({ kind: 'json', status, body }) as const;

export const signatureOf = (body: string | Uint8Array, key = KEY): string =>
  createHmac('sha512', key).update(body).digest('hex');

export function callbackOf(
  body: string | Uint8Array,
  signature: string | undefined = signatureOf(body),
): ProviderCallback {
  return {
    method: 'POST',
    host: 'pay.example.com',
    path: '/callbacks/paystack/token',
    headers: { 'content-type': 'application/json', 'X-Paystack-Signature': signature },
    body: Buffer.from(body),
  };
}
