import { money, type Money, postingLegs } from '@vuka/domain';
import { uuidv7 } from '@vuka/runtime';

import type { PaymentCommit } from './payment-commit.js';
import { referenceOf } from './posting-reference.js';

/** Beyond the blocks that `TransactionIds` gives. */
let nextId = 1_000_000_000;

export const kes = (minor: bigint): Money => money(minor, 'KES');

export function opening(partner: number, amount: bigint): PaymentCommit {
  const facts = { partner, provider: 'sandbox', wallet: 'main', amount: kes(amount) };
  return {
    commitId: uuidv7(),
    transactionId: null,
    expectedSequence: 0,
    transitions: [],
    outbox: [],
    postings: [
      {
        reference: referenceOf('sandbox_opened', `${partner}-KES`),
        kind: 'sandbox_opened',
        legs: postingLegs('sandbox_opened', facts),
      },
    ],
  };
}

export function acceptance(
  partner: number,
  amount: bigint,
  reference: string = uuidv7(),
  fingerprint = 'v1:same',
): PaymentCommit {
  const id = nextId++;
  const facts = { partner, amount: kes(amount), serviceFee: kes(0n) };
  return {
    commitId: uuidv7(),
    transactionId: id,
    expectedSequence: 0,
    insertion: {
      details: {
        id,
        partnerId: partner,
        transactionCode: reference,
        operation: 'bank_transfer',
        amount: kes(amount),
        fee: kes(0n),
        serviceFee: kes(0n),
        callbackUrl: null,
        requestId: 'r',
        traceparent: 't',
      },
      destination: {
        kind: 'bank',
        bankCode: '01',
        bankName: 'KCB',
        mobileNetwork: '',
        keyId: null,
        sealed: 's',
        blindIndex: 'b',
      },
      fingerprint,
    },
    life: {
      state: 'ACCEPTED',
      sequence: 1,
      publicSequence: 0,
      attemptNo: 0,
      paidAttemptNo: null,
      message: '',
      failureCode: null,
      receiptNumber: null,
      publicName: null,
      dueAt: new Date(),
      parkDeadline: null,
    },
    transitions: [{ from: null, to: 'ACCEPTED', event: 'accepted', attemptNo: 0, detail: '' }],
    hold: { open: kes(amount), partnerId: partner },
    postings: [
      { reference: referenceOf('payout_held', id), kind: 'payout_held', legs: postingLegs('payout_held', facts) },
    ],
    outbox: [],
  };
}

export function failure(accepted: PaymentCommit): PaymentCommit {
  const terms = accepted.insertion!.details;
  const facts = { partner: terms.partnerId, held: terms.amount, shortfall: kes(0n) };
  return {
    commitId: uuidv7(),
    transactionId: terms.id,
    expectedSequence: 1,
    life: {
      ...accepted.life!,
      state: 'FAILED',
      sequence: 2,
      publicSequence: 1,
      dueAt: null,
      failureCode: 'rail_unavailable',
    },
    transitions: [{ from: 'ACCEPTED', to: 'FAILED', event: 'overdue', attemptNo: 0, detail: '' }],
    hold: 'voided',
    postings: [
      {
        reference: referenceOf('payout_released', terms.id),
        kind: 'payout_released',
        legs: postingLegs('payout_released', facts),
      },
    ],
    outbox: [],
  };
}
