import { randomUUID } from 'node:crypto';

import { describe, it } from '@jest/globals';
import { currencyDecimals, formatDecimal } from '@vuka/domain';

import type { RudeHarness } from '../../conformance/harness.js';
import { describeRudeSimulator } from '../../conformance/rude-provider.js';
import type { ForgedAnswer } from '../../conformance/rude-server.js';
import type { PayoutDestination, PayoutInstruction } from '../../payout-provider.js';
import { sandboxProvider } from './sandbox-provider.js';
import { toWire } from './sandbox-recipient.js';

const DESTINATIONS: readonly PayoutDestination[] = [
  { kind: 'bank', account_number: '0110123456789', bank_code: '01', bank_name: 'KCB Bank Kenya' },
  { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' },
  { kind: 'paybill', shortcode: '247247', account_number: '0110123456789' },
  { kind: 'till', shortcode: '5123456' },
];

function payables(): PayoutInstruction[] {
  return ['KES', 'UGX'].flatMap((currency) =>
    DESTINATIONS.map((destination) => ({
      attemptId: randomUUID(),
      orderId: randomUUID(),
      amount: { minor: 150_050n, currency },
      destination,
    })),
  );
}

function record(payout: PayoutInstruction, end: object): ForgedAnswer {
  const {
    attemptId: id,
    amount: { minor, currency },
    destination,
  } = payout;
  return {
    status: 200,
    body: {
      id,
      amount: formatDecimal(minor, currencyDecimals(currency)),
      currency,
      recipient: toWire(destination),
      ...end,
    },
  };
}

function line(sequence: number, fields: object = {}): object {
  return {
    sequence,
    at: '2026-11-21T10:00:00.000Z',
    id: `p-${sequence}`,
    status: 'PAID',
    receipt: `SBX${sequence}`,
    ...fields,
  };
}

function page(entries: unknown, fields: object = {}): ForgedAnswer {
  return {
    status: 200,
    body: { entries, next_after: Array.isArray(entries) ? entries.length : 0, more: false, ...fields },
  };
}

const harness: RudeHarness = {
  connect: sandboxProvider,
  payable: () => payables()[0] as PayoutInstruction,
  payables,
  accepted: (payout) => ({
    status: 202,
    body: { id: payout.attemptId, status: 'ACCEPTED', created_at: '2026-11-21T10:00:00.000Z' },
  }),
  duplicate: (payout) => ({
    status: 200,
    body: { id: payout.attemptId, status: 'DUPLICATE', created_at: '2026-11-21T10:00:00.000Z' },
  }),
  notFound: { status: 404, body: { code: 'PAYOUT_NOT_FOUND', message: 'no payout under this id' } },
  paid: (payout) => record(payout, { status: 'PAID', receipt: 'SBX0000000001', name: 'TEST 6789' }),
  paidWithoutReceipt: (payout) => record(payout, { status: 'PAID', name: 'TEST 6789' }),
  paidWith: (receipt, name) => (payout) => record(payout, { status: 'PAID', receipt, name }),
  paidAs: (payments) => (payout) =>
    record(payout, {
      status: payments[0]?.reversed === true ? 'REVERSED' : 'PAID',
      receipt: payments[0]?.receipt,
      name: 'TEST 6789',
      payments: payments.map(({ receipt, reversed }) => ({ receipt, status: reversed ? 'REVERSED' : 'PAID' })),
    }),
  refusals: {
    'no float': { status: 402, body: { code: 'INSUFFICIENT_FLOAT' } },
    'too busy': { status: 429, body: { code: 'BUSY' } },
    'its book is full': { status: 403, body: { code: 'BOOK_FULL' } },
  },
  unknownStatus: (payout) => record(payout, { status: 'QUEUED_AT_BANK' }),
  names: {
    asked: () => ({
      destination: { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' },
      currency: 'KES',
    }),
    found: (name) => ({ status: 200, body: { status: 'FOUND', name } }),
    nobody: { status: 200, body: { status: 'NOT_FOUND' } },
    nameless: { status: 200, body: { status: 'NAME_UNAVAILABLE' } },
    unreadable: {
      'a status in no table': { status: 200, body: { status: 'MARY_WANJIKU', name: 'MARY WANJIKU' } },
      'a status named like an object member': { status: 200, body: { status: 'constructor' } },
      'found without a name': { status: 200, body: { status: 'FOUND' } },
      'found with a name that is no text': { status: 200, body: { status: 'FOUND', name: ['MARY'] } },
      'no status': { status: 200, body: { name: 'MARY WANJIKU' } },
      'nobody, by another status of HTTP': { status: 202, body: { status: 'NOT_FOUND' } },
      'nobody, by a 404': { status: 404, body: { status: 'NOT_FOUND', code: 'NOT_FOUND' } },
      'a refusal': { status: 400, body: { code: 'INVALID_REQUEST' } },
      'a refusal with the number in it': { status: 400, body: { code: '0712345678' } },
    },
  },
  unknownFailure: (payout) => record(payout, { status: 'FAILED', code: 'MOON_PHASE' }),
};

describeRudeSimulator(
  'the sandbox adapter',
  { describe, it },
  {
    ...harness,
    statement: {
      good: page([line(1), line(2, { status: 'ACCEPTED', receipt: undefined })]),
      broken: {
        'a line is missing': page([line(1), line(3)], { next_after: 3 }),
        'it begins later than asked': page([line(5)], { next_after: 5 }),
        'a line comes twice': page([line(1), line(1)]),
        'it goes on elsewhere than it ends': page([line(1)], { next_after: 7 }),
        'it leads back': page([], { next_after: 0, more: true }),
        'a line without an id': page([line(1, { id: null })]),
        'lines that are no list': page({ 1: line(1) }),
        'no word whether there is more': page([line(1)], { more: null }),
        'another status of HTTP': { ...page([line(1)]), status: 201 },
      },
    },
  },
);

describeRudeSimulator(
  'the adapter of the sandbox provider that lists nothing',
  { describe, it },
  {
    ...harness,
    connect: (options) => sandboxProvider({ ...options, profile: 'sandbox_b' }),
  },
);
