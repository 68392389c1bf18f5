import type { BookEntry } from '../books/provider-book.js';
import { type DisburseBody, key, type SentPayout } from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';
import type { ReceivedWebhook } from '../partner/webhook-receiver.js';
import { expectationOf } from './expectation.js';
import type { OutsideView } from './outside-view.js';
import { TOLD } from './sandbox-paths.js';

const URL = 'http://127.0.0.1:1/hook';

export function sent(code: string, number: string, fields: Partial<SentPayout> = {}): SentPayout {
  const body = { amount: '1500.00', account_number: `100001${number}`, bank_code: '01' };
  return {
    partner: 1,
    operation: 'bank-transfer',
    code,
    currency: 'KES',
    body,
    callback_url: URL,
    outcome: 'accepted',
    controls: [],
    ...fields,
  };
}

const markedUp: DisburseBody = {
  amount: 1500,
  fee: '50',
  type: 'MOBILE',
  shortcode: '+254712347890',
  mobile_network: 'Safaricom',
};
export const SENT = {
  paid: sent('paid', '7890'),
  failed: sent('failed', '0000'),
  back: sent('back', '0005'),
  twice: sent('twice', '0008'),
  held: sent('held', '0009'),
  late: sent('late', '0001', { controls: ['pay'] }),
  mobile: sent('mobile', '7890', { operation: 'disburse', body: markedUp }),
};
type Name = keyof typeof SENT;
const NAMES = Object.keys(SENT) as Name[];
export const LATE = {
  reason: 'paid_after_failure',
  receipt_number: 'R-late',
  amount: '1500.00',
  at: '2026-11-21T12:00:00.000Z',
};
export const idOf = (name: Name): number => NAMES.indexOf(name) + 7;

export function row(name: Name, fields: Partial<StatusRow> = {}): StatusRow {
  const expected = expectationOf(SENT[name]);
  const wasPaid = expected.end === 'COMPLETE' || expected.end === 'REVERSED';
  const mobile = name === 'mobile';
  return {
    id: idOf(name),
    transaction_code: name,
    status: expected.end,
    amount: '1500.00',
    currency_code: 'KES',
    message: 'm',
    type: '',
    account_number: mobile ? null : (SENT[name].body.account_number ?? null),
    bank_code: mobile ? '' : '01',
    shortcode: mobile ? '0712347890' : '',
    mobile_network: mobile ? 'Safaricom' : '',
    public_name: expected.publicName,
    receipt_number: wasPaid ? `R-${name}` : null,
    failure_code: expected.failureCode,
    fee: mobile ? '50.00' : '0.00',
    service_fee: mobile ? '0.00' : '30.00',
    correction: name === 'late' ? LATE : '',
    ...fields,
  };
}

export function hook(name: Name, sequence: number, status: string, more: object = {}): ReceivedWebhook {
  const { receipt_number, public_name } = row(name);
  const payload = {
    status,
    transaction_code: name,
    message: 'm',
    ...(/COMPLETE|REVERSED/.test(status) && {
      ...(receipt_number && { receipt_number }),
      ...(public_name && { public_name }),
    }),
    ...(status === 'FAILED' && { failure_code: row(name).failure_code }),
    ...more,
  };
  return {
    path: '/hook',
    headers: {},
    rawBody: JSON.stringify(payload),
    payload,
    id: `${idOf(name)}_${sequence}`,
    sequence,
    event: `transaction.${status.toLowerCase()}`,
    partner: 1,
  };
}

export function corrected(name: Name, sequence: number, status: string, correction: object = LATE): ReceivedWebhook {
  return { ...hook(name, sequence, status, { correction }), event: 'transaction.corrected' };
}

export function entry(name: Name, fields: Partial<BookEntry> = {}): BookEntry {
  const recipient =
    name === 'mobile'
      ? { shortcode: '0712347890' }
      : { account_number: SENT[name].body.account_number ?? '', bank_code: '01' };
  return {
    sequence: 1,
    at: '',
    id: 'x',
    status: 'PAID',
    amount: name === 'mobile' ? '1450.00' : '1500.00',
    currency: 'KES',
    recipient,
    receipt: `R-${name}`,
    ...fields,
  };
}

const ENTRIES: readonly BookEntry[] = [
  ...(['paid', 'back', 'twice', 'mobile', 'late'] as const).flatMap((name) => [
    entry(name, { status: 'ACCEPTED' }),
    entry(name),
  ]),
  entry('back', { status: 'REVERSED' }),
  entry('twice', { receipt: 'R-twice-2' }),
  entry('held', { amount: '1501.00' }),
];
/** 1,530 each for paid, twice and held; nothing for back; the debt of late; 1,450 for mobile. */
const SPENT = 153_000n + 0n + 153_000n + 153_000n + 150_000n + 145_000n;

export function sound(change: Partial<OutsideView> = {}): OutsideView {
  return {
    sent: NAMES.map((name) => SENT[name]),
    rows: new Map(NAMES.map((name) => [key(SENT[name]), row(name)])),
    webhooks: NAMES.flatMap((name) =>
      TOLD[expectationOf(SENT[name]).end].map((status, index) => hook(name, index + 1, status)),
    ).concat(corrected('late', 3, 'FAILED')),
    books: ENTRIES,
    wallets: [{ partner: 1, currency: 'KES', before: 10_000_000n, after: 10_000_000n - SPENT }],
    ...change,
  };
}

export const rows = (...changed: [Name, StatusRow | null][]): Partial<OutsideView> => ({
  rows: new Map([...sound().rows, ...changed.map(([name, one]) => [key(SENT[name]), one] as const)]),
});
export const told = (name: Name, ...hooks: ReceivedWebhook[]): Partial<OutsideView> => ({
  webhooks: [...sound().webhooks.filter(({ payload }) => payload.transaction_code !== name), ...hooks],
});
export const books = (without: (one: BookEntry) => boolean, ...more: BookEntry[]): Partial<OutsideView> => ({
  books: [...ENTRIES.filter((one) => !without(one)), ...more],
});
export const asked = (name: Name, fields: Partial<SentPayout>): Partial<OutsideView> => ({
  sent: NAMES.map((one) => (one === name ? { ...SENT[one], ...fields } : SENT[one])),
});
export const none = (): boolean => false;
export const wallet = (by: bigint): Partial<OutsideView> => ({
  wallets: [{ partner: 1, currency: 'KES', before: 10_000_000n, after: 10_000_000n - SPENT + by }],
});
