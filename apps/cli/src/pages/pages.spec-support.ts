import type { TransactionPage } from '@vuka/admin';

import type { StuckPage } from './next-step.js';

export const NOW = new Date('2026-05-12T09:30:00.000Z');
export const ago = (seconds: number): string => new Date(NOW.getTime() - seconds * 1_000).toISOString();
export const kes = (amount: string) => ({ amount, currency: 'KES' });

export const SUMMARY = {
  id: 1042,
  transaction_code: 'order-1',
  partner_id: 1,
  operation: 'bank_transfer',
  status: 'PROCESSING',
  state: 'REVIEW',
  amount: kes('1500.00'),
  created_at: ago(300),
} as const;

export const PAGE: TransactionPage = {
  transaction: {
    ...SUMMARY,
    fee: kes('0.00'),
    service_fee: kes('30.00'),
    callback_host: 'hooks.example',
    message: 'The payment is being reviewed',
    failure_code: null,
    destination: {
      kind: 'paybill',
      account_number: '***0042',
      shortcode: '***',
      bank_code: null,
      bank_name: null,
      mobile_network: null,
    },
    receipt_number: null,
    recipient_name: null,
    request_id: 'req-1',
    traceparent: '00-',
    sequence: 4,
    public_sequence: 1,
    due_at: null,
    park_deadline: null,
    updated_at: ago(240),
  },
  timeline: [
    { sequence: 1, at: ago(300), from: null, to: 'ACCEPTED', event: 'accepted', attempt_no: 0, detail: '' },
    {
      sequence: 2,
      at: ago(240),
      from: 'SUBMITTED',
      to: 'REVIEW',
      event: 'mismatch',
      attempt_no: 1,
      detail: 'amount\u001b[31m',
    },
  ],
  timeline_left_out: 7,
  attempts: [
    {
      attempt_no: 1,
      provider: 'sandbox',
      wallet: 'main',
      provider_reference: '0193f1c2-7c1e-7a40-9d7e-2f5a3b9c0d11',
      provider_payment_id: 'SBX-77\u001b[31m',
      state: 'PENDING',
      amount: kes('1500.00'),
      polls: 2,
      next_check_at: null,
      claimed_until: null,
      watched_until: null,
      ended_by: null,
      receipt_number: null,
      detail: '',
      created_at: ago(300),
      updated_at: ago(240),
    },
  ],
  hold: { state: 'open', amount: kes('1530.00'), opened_at: ago(300), closed_at: null },
  postings: [
    {
      reference: 'payout-held:1042',
      kind: 'payout_held',
      at: ago(300),
      legs: [{ from: 'wallet:1:KES', to: 'held:1:KES', amount: kes('1530.00') }],
    },
  ],
  duplicate_payment: [],
  incidents: [
    {
      id: 3,
      transaction_id: 1042,
      transaction_code: 'order-1',
      partner_id: 1,
      attempt_no: 1,
      state: 'COMPLETE',
      event: 'succeeded',
      detail: '',
      times: 4,
      at: ago(200),
      last_at: ago(20),
      resolved_at: null,
      resolved_by: null,
      resolution: null,
    },
  ],
  settlements: [],
  pay: null,
  deposits: [],
  webhooks: [],
};

export const WAITING = {
  transaction_id: 1042,
  transaction_code: 'order-1',
  partner_id: 1,
  amount: kes('1500.00'),
  state: 'REVIEW',
  since: ago(240),
  why: 'another amount',
  attempt_no: 1,
  provider: 'sandbox',
  provider_reference: 'r',
  polls: 2,
  next_check_at: null,
  until: null,
  settlement_id: null,
  settlement_approved_at: null,
} as const;

export const NOTHING: StuckPage = {
  parked: [],
  in_doubt: [],
  review: [],
  overdue: [],
  rail_not_configured: [],
  frozen: [],
  incidents: [],
  owed_by_partners: [],
  owed_to_us: [],
  dead_letters: [],
  deliveries_given_up: [],
  outbox_stalled: [],
  cut: [],
  not_asked: [],
};
