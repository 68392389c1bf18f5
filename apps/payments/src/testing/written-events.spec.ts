import { describe, expect, it } from '@jest/globals';
import { EVENTS, type Envelope } from '@vuka/contracts';
import { money, type TransactionState } from '@vuka/domain';
import { parseEnvelope } from '@vuka/messaging';

import type { Change } from '../machine/change.js';
import { buildCommit } from '../machine/build-commit.js';
import { NO_HISTORY } from '../transactions/attempt.store.js';
import type { TransactionSnapshot } from '../transactions/transaction.store.js';

const AT = new Date('2026-11-21T12:00:00.000Z');

interface Way {
  readonly from: TransactionState;
  readonly to: TransactionState;
  readonly change?: Partial<Change>;
}

/** With all optional facts, or none. */
const WAYS = {
  'transaction.processing': [{ from: 'ACCEPTED', to: 'SUBMITTING' }],
  'transaction.complete': [
    { from: 'SUBMITTED', to: 'COMPLETE', change: { receiptNumber: 'R1', publicName: 'TEST 1' } },
    { from: 'SUBMITTED', to: 'COMPLETE', change: { receiptNumber: 'R1', publicName: null } },
  ],
  'transaction.failed': [{ from: 'SUBMITTED', to: 'FAILED', change: { failureCode: 'rail_rejected' } }],
  'transaction.reversed': [{ from: 'COMPLETE', to: 'REVERSED', change: { receiptNumber: 'R1', publicName: 'TEST 1' } }],
} as const satisfies Record<string, readonly Way[]>;

function written({ from, to, change }: Way, callbackUrl: string | null): Envelope[] {
  const snapshot: TransactionSnapshot = {
    details: {
      id: 1000,
      partnerId: 1,
      transactionCode: 'order-1',
      operation: 'bank_transfer',
      amount: money(150_000n, 'KES'),
      fee: money(0n, 'KES'),
      serviceFee: money(3_000n, 'KES'),
      callbackUrl,
      requestId: 'request-1',
      traceparent: '00-ca69040a7ff1258038df0405e434ccb9-01fa7a97f7094b12-00',
    },
    life: {
      state: from,
      sequence: 3,
      publicSequence: 1,
      attemptNo: 1,
      paidAttemptNo: null,
      message: '',
      failureCode: null,
      receiptNumber: null,
      publicName: null,
      dueAt: null,
      parkDeadline: null,
    },
    refund: null,
    liveRefund: null,
    paymentStands: false,
    latePayment: null,
    held: money(153_000n, 'KES'),
    pay: null,
    deposit: null,
    credit: null,
    destination: { kind: 'bank', bankCode: '01', bankName: 'A bank', mobileNetwork: '', sealed: '', key: null },
    createdAt: AT,
    updatedAt: AT,
  };
  const move = buildCommit(
    snapshot,
    { kind: 'move', steps: [{ to, post: [] }], effects: [] },
    { at: AT, event: 'test', attemptNo: 1, detail: '', history: NO_HISTORY, ...change },
  );
  return [...move.outbox];
}

describe.each(Object.keys(WAYS) as (keyof typeof WAYS)[])('%s', (type) => {
  // With and without a callback.
  const events = WAYS[type].flatMap((way) => [...written(way, 'https://partner.invalid/hook'), ...written(way, null)]);
  const { topic } = EVENTS[type];

  it('is what its move writes, and is read, every member of it', () => {
    expect(new Set(events.map((event) => event.type))).toEqual(new Set([type]));
    for (const event of events) expect(parseEnvelope(JSON.stringify(event), topic)).toEqual(event);
  });

  it('is read beside members that nobody knows', () => {
    for (const event of events) {
      const newer = { ...event, added: 1, data: { ...event.data, added: { of: 'later' } } };
      expect(parseEnvelope(JSON.stringify(newer), topic)).toEqual(event);
    }
  });
});
