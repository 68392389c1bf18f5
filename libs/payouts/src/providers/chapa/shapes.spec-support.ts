import { createHmac } from 'node:crypto';

import { formatMoney } from '@vuka/domain';

import type { PayoutInstruction, ProviderCallback } from '../../payout-provider.js';
import { networkOf } from './networks.js';

export const ATTEMPT_ID = '5b0c3f7a-91d2-8e44-a6f3-0d1c2b3a4f5e';
export const SECRET = 'the-secret-hash-of-it';

/** 2,000 birr to Telebirr, as in the published examples. */
export function instruction(changes: Partial<PayoutInstruction> = {}): PayoutInstruction {
  return {
    attemptId: ATTEMPT_ID,
    orderId: '4711',
    amount: { minor: 2_000_00n, currency: 'ETB' },
    destination: { kind: 'mobile', phone: '+251912345678', mobile_network: 'Telebirr' },
    ...changes,
  };
}

/** Published shapes, with our id. */
export const SHAPES = {
  request: {
    account_name: 'Vuka payout',
    account_number: '0912345678',
    amount: '2000',
    currency: 'ETB',
    reference: ATTEMPT_ID,
    bank_code: 855,
  },
  queued: { message: 'Transfer Queued Successfully', status: 'success', data: ATTEMPT_ID },
  record: {
    account_name: 'Vuka payout',
    account_number: '0912345678',
    mobile: null,
    currency: 'ETB',
    amount: 2000,
    charge: 0,
    mode: 'live',
    transfer_method: 'bank',
    narration: null,
    chapa_transfer_id: '4d6a7cb7-0d51-4c27-9a19-cc3f066c85a3',
    bank_code: 855,
    bank_name: 'Bunna Bank',
    cross_party_reference: '',
    ip_address: 'UNKNOWN',
    status: 'success',
    tx_ref: ATTEMPT_ID,
    created_at: '2026-08-01T21:09:03.000000Z',
    updated_at: '2026-08-01T21:09:03.000000Z',
  },
  webhook: {
    event: 'payout.success',
    type: 'Payout',
    account_name: 'Vuka payout',
    account_number: '251912345678',
    bank_id: 855,
    bank_name: 'telebirr',
    amount: '2000.00',
    charge: '60.00',
    currency: 'ETB',
    status: 'success',
    reference: ATTEMPT_ID,
    chapa_reference: '2o10dfs332U',
    bank_reference: 'GT3412w3',
    created_at: '2026-08-01T19:23:22.000000Z',
    updated_at: '2026-08-01T19:23:23.000000Z',
  },
  approval: {
    amount: '2000.00',
    reference: ATTEMPT_ID,
    bank: 'telebirr',
    account_name: 'Vuka payout',
    account_number: '251912345678',
  },
  failed: (message: unknown) => ({ message, status: 'failed', data: null }),
} as const;

/** [D] developer.chapa.co/integrations/responses, Transfer Initialize Endpoint, as printed there. */
export const PRINTED = {
  transferHours:
    'Our Transfer hours are Mon-Sat from 08:30 AM - 04:30 PM only, please check our transfer manuals or contact us for an immediate assist.',
  apiKey: 'Invalid API Key or User doesn’t exist',
  duplicate: 'TThe reference number has been used before',
  missing: 'Invalid transaction or Transaction not found',
} as const;

export const json = <B>(status: number, body: B) => ({ kind: 'json', status, body }) as const;
export const found = (data: unknown) => json(200, { message: 'Transfer details', status: 'success', data });

/** What Chapa would have on record for an instruction. A recipient that it cannot pay stands there under no bank. */
export function recordOf(payout: PayoutInstruction, end: object): object {
  const { attemptId, amount, destination } = payout;
  return {
    ...SHAPES.record,
    chapa_transfer_id: undefined,
    tx_ref: attemptId,
    amount: Number(formatMoney(amount)),
    currency: amount.currency,
    account_number: destination.kind === 'mobile' ? `0${destination.phone.slice(4)}` : '0',
    bank_code: networkOf('ETB', destination)?.bankCode ?? 0,
    status: 'success',
    ...end,
  };
}

export const hmac = (payload: string, secret = SECRET): string =>
  createHmac('sha256', secret).update(payload).digest('hex');

export function callbackOf(body: string, headers: ProviderCallback['headers']): ProviderCallback {
  return { method: 'POST', host: 'pay.example.com', path: '/callbacks/chapa/x', headers, body: Buffer.from(body) };
}

/** As Chapa signs it: the payload, and the constant. */
export function signedCallback(value: object): ProviderCallback {
  const body = JSON.stringify(value);
  return callbackOf(body, { 'x-chapa-signature': hmac(body), 'chapa-signature': hmac(SECRET) });
}
