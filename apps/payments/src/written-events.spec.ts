import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';
import type { TransactionState } from '@vuka/domain';

import { buildMove, type Change } from './build-move.js';
import { NO_HISTORY } from './store/attempt.store.js';
import type { TransactionSnapshot } from './store/transaction.store.js';

/** What the last release wrote (`node tools/event-samples.mjs`): its readers read what is written here. */
const SAMPLES = fileURLToPath(new URL('../../../libs/contracts/samples/', import.meta.url));
const LAST = (JSON.parse(readFileSync(`${SAMPLES}releases.json`, 'utf8')) as string[]).at(-1) ?? '';

const AT = new Date('2026-11-21T12:00:00.000Z');

interface Way {
  readonly from: TransactionState;
  readonly to: TransactionState;
  readonly change?: Partial<Change>;
}

/** Whoever asked to be told or not, with all that may be known or none of it. */
const WAYS: Readonly<Record<string, readonly Way[]>> = {
  'transaction.processing': [{ from: 'ACCEPTED', to: 'SUBMITTING' }],
  'transaction.complete': [{ from: 'SUBMITTED', to: 'COMPLETE', change: { receiptNumber: 'R1', publicName: 'TEST 1' } }, { from: 'SUBMITTED', to: 'COMPLETE', change: { receiptNumber: 'R1', publicName: null } }],
  'transaction.failed': [{ from: 'SUBMITTED', to: 'FAILED', change: { failureCode: 'rail_rejected' } }],
  'transaction.reversed': [{ from: 'COMPLETE', to: 'REVERSED', change: { receiptNumber: 'R1', publicName: 'TEST 1' } }],
};

function written({ from, to, change }: Way, callbackUrl: string | null): unknown[] {
  const snapshot: TransactionSnapshot = {
    terms: {
      id: 1000, partnerId: 1, transactionCode: 'order-1', operation: 'bank_transfer', currency: 'KES', amountMinor: 150_000n, feeMinor: 0n, serviceFeeMinor: 3_000n,
      callbackUrl, requestId: 'request-1', traceparent: '00-ca69040a7ff1258038df0405e434ccb9-01fa7a97f7094b12-00',
    },
    life: {
      state: from, sequence: 3, publicSequence: 1, attemptNo: 1, paidAttemptNo: null, message: '', failureCode: null, receiptNumber: null, publicName: null, dueAt: null,
      parkDeadline: null,
    },
    refund: null, liveRefund: null, paymentStands: false,
    latePayment: null,
    heldMinor: 153_000n,
    pay: null,
    deposit: null,
    credit: null,
    destination: { kind: 'bank', bankCode: '01', bankName: 'A bank', mobileNetwork: '', sealed: '' },
    createdAt: AT,
    updatedAt: AT,
  };
  const move = buildMove(snapshot, { kind: 'move', steps: [{ to, post: [] }], effects: [] }, { at: AT, event: 'test', attemptNo: 1, detail: '', history: NO_HISTORY, ...change });
  return [...move.outbox];
}

/** Each member and the type of its value; null and a string beside each other are one type of two. */
function typesOf(value: unknown, path = ''): [string, string][] {
  if (value === null || typeof value !== 'object') return [[path, value === null ? 'null' : typeof value]];
  return Object.entries(value).flatMap(([name, member]) => typesOf(member, path === '' ? name : `${path}.${name}`));
}

function membersOf(events: readonly unknown[]): Record<string, string[]> {
  const members: Record<string, Set<string>> = {};
  for (const [path, type] of events.flatMap((event) => typesOf(event))) (members[path] ??= new Set()).add(type);
  return Object.fromEntries(Object.entries(members).map(([path, types]) => [path, [...types].sort()]));
}

describe.each(Object.entries(WAYS))('%s', (type, ways) => {
  it('has every member that the last release wrote, of the same type', () => {
    const { events: before } = JSON.parse(readFileSync(`${SAMPLES}${LAST}/${type}.json`, 'utf8')) as { events: unknown[] };
    const events = ways.flatMap((way) => [...written(way, 'https://partner.invalid/hook'), ...written(way, null)]);
    expect(new Set(events.map((event) => (event as { type: string }).type))).toEqual(new Set([type]));
    expect(membersOf(events)).toMatchObject(membersOf(before));
  });
});
