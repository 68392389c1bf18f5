import { formatMoney } from '@vuka/domain';

import type { PayoutInstruction } from '../../payout-provider.js';
import { networkOf } from './networks.js';
import { payoutIdOf } from './payout-id.js';

/** An id as payments makes them: version 8. */
export const ATTEMPT_ID = '5b0c3f7a-91d2-8e44-a6f3-0d1c2b3a4f5e';
export const PAYOUT_ID = '5b0c3f7a-91d2-4e44-a6f3-0d1c2b3a4f5e';

/** The payout of the published examples: 1,500 kwacha to Airtel Malawi. */
export function instruction(changes: Partial<PayoutInstruction> = {}): PayoutInstruction {
  return {
    attemptId: ATTEMPT_ID,
    orderId: '4711',
    amount: { minor: 1_500_00n, currency: 'MWK' },
    destination: { kind: 'mobile', phone: '+265993456789', mobile_network: 'Airtel Money' },
    ...changes,
  };
}

/** Published shapes (docs.pawapay.io/v2/api-reference/payouts), with our id. */
export const SHAPES = {
  request: {
    payoutId: PAYOUT_ID,
    amount: '1500',
    currency: 'MWK',
    recipient: { type: 'MMO', accountDetails: { phoneNumber: '265993456789', provider: 'AIRTEL_MWI' } },
  },
  accepted: { payoutId: PAYOUT_ID, status: 'ACCEPTED', created: '2026-08-01T08:17:01Z' },
  rejected: {
    payoutId: PAYOUT_ID,
    status: 'REJECTED',
    created: '2026-08-01T08:17:01Z',
    failureReason: { failureCode: 'AMOUNT_OUT_OF_BOUNDS', failureMessage: 'text' },
  },
  duplicate: { payoutId: PAYOUT_ID, status: 'DUPLICATE_IGNORED', created: '2026-08-01T08:17:01Z' },
  record: {
    payoutId: PAYOUT_ID,
    status: 'COMPLETED',
    amount: '1500',
    currency: 'MWK',
    country: 'MWI',
    recipient: { type: 'MMO', accountDetails: { phoneNumber: '265993456789', provider: 'AIRTEL_MWI' } },
    customerMessage: 'Payout po1',
    clientReferenceId: 'po-1',
    created: '2026-08-01T08:17:01Z',
    providerTransactionId: 'ABC123',
    metadata: { po: '1' },
  },
  missing: { status: 'NOT_FOUND' },
  errorBody: (failureCode: string) => ({ failureReason: { failureCode, failureMessage: 'text' } }),
} as const;

const { providerTransactionId: _receipt, ...UNPAID } = SHAPES.record;

/** The same record, and how it ended. */
export function failedRecord(failureCode: string): object {
  return { ...UNPAID, status: 'FAILED', failureReason: { failureCode, failureMessage: 'text' } };
}

export const json = (status: number, body: unknown) => ({ kind: 'json', status, body }) as const;
export const found = (data: object) => json(200, { status: 'FOUND', data });

/** What pawaPay would have on record for an instruction; a recipient that it cannot pay stands there as of another type. */
export function recordOf(payout: PayoutInstruction, end: object): object {
  const { attemptId, amount, destination } = payout;
  const network = networkOf(amount.currency, destination);
  const phone = destination.kind === 'mobile' ? destination.phone.slice(1) : '0';
  return {
    payoutId: payoutIdOf(attemptId),
    amount: formatMoney(amount),
    currency: amount.currency,
    ...(network !== undefined && { country: network.country }),
    recipient: {
      type: destination.kind === 'mobile' ? 'MMO' : 'OTHER',
      accountDetails: { phoneNumber: phone, provider: network?.provider ?? 'OTHER' },
    },
    created: '2026-08-01T08:17:01Z',
    ...end,
  };
}
