import { expect } from '@jest/globals';

export const MONEY = {
  amount: expect.stringMatching(/^-?\d+(\.\d\d)?$/),
  currency: expect.stringMatching(/^[A-Z]{3}$/),
};
export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const HOST = expect.stringMatching(/^127\.0\.0\.1:\d+$/);

export const paidPage = (code: string, { id, receipt_number }: { id: number; receipt_number: string }): unknown => ({
  transaction: {
    id: expect.any(Number),
    transaction_code: code,
    partner_id: 1,
    operation: 'bank_transfer',
    status: 'COMPLETE',
    state: 'COMPLETE',
    amount: { amount: '500.00', currency: 'KES' },
    fee: { amount: '0.00', currency: 'KES' },
    service_fee: { amount: '30.00', currency: 'KES' },
    created_at: TIME,
    updated_at: TIME,
    due_at: null,
    park_deadline: null,
    destination: {
      kind: 'bank',
      account_number: '***7890',
      shortcode: null,
      bank_code: '01',
      bank_name: expect.any(String),
      mobile_network: null,
    },
    callback_host: HOST,
    message: expect.any(String),
    failure_code: null,
    receipt_number: expect.stringMatching(/^SBX/),
    recipient_name: 'TEST 7890',
    request_id: expect.any(String),
    traceparent: expect.stringMatching(/^00-/),
    sequence: 4,
    public_sequence: 2,
  },
  pay: null,
  deposits: [],
  timeline: [
    { sequence: 1, at: TIME, from: null, to: 'ACCEPTED', event: 'accepted', attempt_no: 0, detail: '' },
    {
      sequence: 2,
      at: TIME,
      from: 'ACCEPTED',
      to: 'SUBMITTING',
      event: 'attempt.started',
      attempt_no: 1,
      detail: 'sandbox',
    },
    { sequence: 3, at: TIME, from: 'SUBMITTING', to: 'SUBMITTED', event: 'submitted', attempt_no: 1, detail: '' },
    {
      sequence: 4,
      at: TIME,
      from: 'SUBMITTED',
      to: 'COMPLETE',
      event: 'succeeded',
      attempt_no: 1,
      detail: expect.any(String),
    },
  ],
  timeline_left_out: 0,
  attempts: [
    expect.objectContaining({
      attempt_no: 1,
      provider: 'sandbox',
      wallet: 'main',
      state: 'PAID',
      amount: { amount: '500.00', currency: 'KES' },
      created_at: TIME,
      receipt_number,
    }),
  ],
  hold: { state: 'posted', amount: { amount: '530.00', currency: 'KES' }, opened_at: TIME, closed_at: TIME },
  postings: [
    {
      reference: `payout-held:${id}`,
      kind: 'payout_held',
      at: TIME,
      legs: [{ from: 'wallet:1:KES', to: 'held:1:KES', amount: { amount: '530.00', currency: 'KES' } }],
    },
    {
      reference: `payout-settled:${id}`,
      kind: 'payout_settled',
      at: TIME,
      legs: [
        { from: 'held:1:KES', to: 'rail:sandbox:main:KES', amount: { amount: '500.00', currency: 'KES' } },
        { from: 'held:1:KES', to: 'fees:KES', amount: { amount: '30.00', currency: 'KES' } },
      ],
    },
  ],
  duplicate_payment: [],
  incidents: [],
  settlements: [],
  webhooks: [1, 2].map((sequence) =>
    expect.objectContaining({
      webhook_id: `${id}_${sequence}`,
      sequence,
      state: 'delivered',
      host: HOST,
      created_at: TIME,
    }),
  ),
});

export const parkedRow = (code: string): unknown => ({
  transaction_id: expect.any(Number),
  transaction_code: code,
  partner_id: 1,
  amount: { amount: '500.00', currency: 'KES' },
  state: 'QUEUED',
  since: TIME,
  why: expect.stringContaining('float'),
  attempt_no: expect.any(Number),
  provider: expect.stringMatching(/^sandbox/),
  provider_reference: expect.any(String),
  polls: expect.any(Number),
  next_check_at: TIME,
  until: TIME,
  settlement_id: null,
  settlement_approved_at: null,
  next: [`npm run vuka -- release ${code} --partner 1 --reason "<what you fixed>" --by "<you>"`],
});

export const proposedSettlement = (receipt: string): unknown => ({
  id: expect.any(Number),
  transaction_id: expect.any(Number),
  attempt_no: 1,
  outcome: 'paid',
  receipt_number: receipt,
  paid: { amount: '501.00', currency: 'KES' },
  evidence: 'portal page 4 of account ***5678',
  state: 'proposed',
  proposed_by: 'Ann Otieno',
  proposed_at: TIME,
  approved_by: null,
  approved_at: null,
  withdrawn_at: null,
  executed_at: null,
  executes_by: null,
  superseded_why: null,
});

export const poisonDeadLetter = (eventId: string): unknown => ({
  event_id: eventId,
  consumer_group: 'notifier',
  topic: expect.any(String),
  key: 'poison',
  reason: 'malformed',
  detail: expect.any(String),
  tries: expect.any(Number),
  at: TIME,
  replay_requested_at: null,
  requested_by: null,
  replayed_at: null,
  next: [`npm run vuka -- replay ${eventId} --group notifier --reason "<what you fixed>" --by "<you>"`],
});

export const owedToUs = (code: string): unknown =>
  expect.objectContaining({
    transaction_code: code,
    owed_by: 'us',
    amount: MONEY,
    receipt_number: expect.stringMatching(/^SBX/),
    posted_at: TIME,
    unwound_at: null,
  });

export const openIncident = (code: string): Record<string, unknown> => ({
  transaction_code: code,
  event: 'succeeded',
  state: 'COMPLETE',
  times: 1,
  at: TIME,
  resolved_at: null,
});

export const approvedSettlement = (id: number, code: string): unknown => ({
  settlement: expect.objectContaining({
    id,
    state: 'approved',
    approved_by: 'Ben Mwangi',
    approved_at: TIME,
    executed_at: TIME,
  }),
  transaction: expect.objectContaining({ transaction_code: code, status: 'COMPLETE' }),
});

export const rowInReview = (code: string): unknown =>
  expect.objectContaining({
    transaction_code: code,
    state: 'REVIEW',
    why: expect.stringMatching(/amount/),
    provider: 'sandbox',
    settlement_id: null,
  });
