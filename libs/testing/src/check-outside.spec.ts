import { describe, expect, it } from '@jest/globals';

import type { SentTransfer, StatusRow } from './api-client.js';
import { checkOutside, key, type OutsideView } from './check-outside.js';
import type { BookEntry } from './rail-book.js';
import type { ReceivedWebhook } from './webhook-receiver.js';

const sent: SentTransfer = {
  partner: 1, code: 'a', currency: 'KES', amount: '1500.00', account_number: '1000017890', bank_code: '01', callback_url: 'http://127.0.0.1:1/hook', outcome: 'accepted',
};
const failed: SentTransfer = { ...sent, code: 'b', account_number: '1000020000' };

function row(fields: Partial<StatusRow>): StatusRow {
  return {
    id: 7, transaction_code: 'a', status: 'COMPLETE', amount: '1500.00', account_number: '1000017890', bank_code: '01', public_name: 'TEST 7890',
    receipt_number: 'SBX1', currency_code: 'KES', service_fee: '30.00', failure_code: '', message: 'm', ...fields,
  };
}

function hook(id: string, sequence: number, status: string, more: object = {}, code = 'a'): ReceivedWebhook {
  const payload = { status, transaction_code: code, message: 'm', ...more };
  return { path: '/hook', headers: {}, rawBody: JSON.stringify(payload), payload, id: `${id}_${sequence}`, sequence, event: `transaction.${status.toLowerCase()}`, partner: 1 };
}

function entry(fields: Partial<BookEntry>): BookEntry {
  return { sequence: 1, at: '', id: 'x', status: 'PAID', amount: '1500.00', currency: 'KES', recipient: { account_number: '1000017890', bank_code: '01' }, receipt: 'SBX1', ...fields };
}

const complete = { receipt_number: 'SBX1', public_name: 'TEST 7890' };
const failedRow = row({ id: 8, transaction_code: 'b', status: 'FAILED', account_number: '1000020000', receipt_number: null, public_name: null });

/** One transfer paid, one failed, all told. */
function sound(change: Partial<OutsideView> = {}): OutsideView {
  return {
    sent: [sent, failed],
    rows: new Map([[key(sent), row({})], [key(failed), failedRow]]),
    webhooks: [hook('7', 1, 'PROCESSING'), hook('7', 2, 'COMPLETE', complete), hook('8', 1, 'PROCESSING', {}, 'b'), hook('8', 2, 'FAILED', {}, 'b')],
    railBook: [entry({ status: 'ACCEPTED' }), entry({})],
    wallets: [{ partner: 1, currency: 'KES', before: 1_000_000n, after: 847_000n }],
    ...change,
  };
}

describe('the check from outside', () => {
  it('finds nothing where every promise was kept', () => {
    expect(checkOutside(sound(), { everyWebhook: true })).toEqual([]);
  });

  const rows = (one: StatusRow | null): Partial<OutsideView> => ({ rows: new Map([[key(sent), one], [key(failed), failedRow]]) });
  const webhooks = (...hooks: ReceivedWebhook[]): Partial<OutsideView> => ({ webhooks: [...sound().webhooks.slice(2), ...hooks] });

  it.each<[string, Partial<OutsideView>, RegExp]>([
    ['an accepted transaction that is gone', rows(null), /was answered 200 and is not there/],
    ['one that never ends', rows(row({ status: 'PROCESSING' })), /has not ended: PROCESSING/],
    ['a refused one that exists', { sent: [{ ...sent, outcome: 'refused' }, failed] }, /was refused and exists/],
    ['another amount', rows(row({ amount: '1500.01' })), /has the amount 1500.01/],
    ['a payment made twice', { railBook: [entry({}), entry({ receipt: 'SBX2' })] }, /paid .* 2 times, and 1 transactions/],
    ['a COMPLETE nobody paid', { railBook: [] }, /its receipt SBX1 is not in the rail's book/],
    ['a FAILED that was paid', { railBook: [entry({}), entry({ receipt: 'SBX2', recipient: { account_number: '1000020000', bank_code: '01' } })] }, /paid .* 1 times, and 0 transactions/],
    ['the receipt of another payment', { railBook: [entry({ amount: '1.00' })] }, /its receipt is for another payment/],
    ['a receipt given twice', { railBook: [entry({}), entry({})] }, /gave the receipt SBX1 twice/],
    ['money that is missing', { wallets: [{ partner: 1, currency: 'KES', before: 1_000_000n, after: 694_000n }] }, /is 694000, and should be 847000/],
    ['a wallet that moved for nothing', { wallets: [...sound().wallets, { partner: 2, currency: 'NGN', before: 5n, after: 4n }] }, /wallet NGN of partner 2/],
    ['an end that was not told', webhooks(hook('7', 1, 'PROCESSING')), /its last webhook says PROCESSING/],
    ['silence', webhooks(), /nothing, there is none/],
    ['a status that goes back', webhooks(hook('7', 1, 'COMPLETE', complete), hook('7', 2, 'COMPLETE', complete)), /went back from COMPLETE to COMPLETE/],
    ['a gap', webhooks(hook('7', 2, 'COMPLETE', complete)), /webhooks 2 are not 1, 2/],
    ['two contents under one id', webhooks(hook('7', 1, 'PROCESSING'), hook('7', 1, 'PENDING'), hook('7', 2, 'COMPLETE', complete)), /came with two contents/],
    ['a foreign id', webhooks(hook('9', 1, 'PROCESSING'), hook('7', 2, 'COMPLETE', complete)), /webhook-id 9_1 is not 7_1/],
    ['a signature of nobody', webhooks(hook('7', 1, 'PROCESSING'), { ...hook('7', 2, 'COMPLETE', complete), partner: null }), /signed by nobody/],
    ['a webhook of nothing that was sent', webhooks(hook('9', 1, 'PROCESSING', {}, 'c'), hook('7', 1, 'PROCESSING'), hook('7', 2, 'COMPLETE', complete)), /which nobody sent/],
    ['a final webhook that says something else', webhooks(hook('7', 1, 'PROCESSING'), hook('7', 2, 'COMPLETE', { receipt_number: 'SBX9' })), /says something else/],
  ])('finds %s', (_, change, fault) => {
    expect(checkOutside(sound(change), { everyWebhook: true }).join('\n')).toMatch(fault);
  });

  it('lets a non-final webhook be overtaken where it may be', () => {
    expect(checkOutside(sound(webhooks(hook('7', 2, 'COMPLETE', complete))))).toEqual([]);
  });

  it('takes an open outcome either way', () => {
    const open: SentTransfer = { ...sent, outcome: 'open' };
    expect(checkOutside(sound({ sent: [open, failed] }))).toEqual([]);
    const never = { ...rows(null), ...webhooks(), sent: [open, failed], railBook: [], wallets: [] };
    expect(checkOutside(sound(never))).toEqual([]);
  });
});
