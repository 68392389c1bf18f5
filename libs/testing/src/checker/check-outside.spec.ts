import { describe, expect, it } from '@jest/globals';

import { checkAnytime, checkOutside } from './check-outside.js';
import { webhookFaults } from './webhooks/check-webhooks.js';
import { expectationOf } from './expectation.js';
import type { OutsideView, Told } from './outside-view.js';
import type { BookEntry } from '../books/rail-book.js';
import { SANDBOX_ROADS, TOLD } from './sandbox-roads.js';
import { key, type ControlAction, type DisburseBody, type SentPayout } from '../partner/sent-payout.js';
import type { StatusRow } from '../partner/status-row.js';
import type { ReceivedWebhook } from '../partner/webhook-receiver.js';

const URL = 'http://127.0.0.1:1/hook';

/** A KES payout of 1,500.00 under this code, by default a transfer to an account of the sandbox number. */
function sent(code: string, number: string, fields: Partial<SentPayout> = {}): SentPayout {
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
const SENT = {
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
/** Paid after it had failed. */
const LATE = {
  reason: 'paid_after_failure',
  receipt_number: 'R-late',
  amount: '1500.00',
  at: '2026-11-21T12:00:00.000Z',
};
const idOf = (name: Name): number => NAMES.indexOf(name) + 7;

function row(name: Name, fields: Partial<StatusRow> = {}): StatusRow {
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

function hook(name: Name, sequence: number, status: string, more: object = {}): ReceivedWebhook {
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

/** That it was paid after its end. */
function corrected(name: Name, sequence: number, status: string, correction: object = LATE): ReceivedWebhook {
  return { ...hook(name, sequence, status, { correction }), event: 'transaction.corrected' };
}

function entry(name: Name, fields: Partial<BookEntry> = {}): BookEntry {
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
/** Paid, back, twice, held, late and mobile: 1,530 for each of three, nothing, and what the debt and the payout of 1,450 cost. */
const SPENT = 153_000n + 0n + 153_000n + 153_000n + 150_000n + 145_000n;

/** One of each end, all told. */
function sound(change: Partial<OutsideView> = {}): OutsideView {
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

const rows = (...changed: [Name, StatusRow | null][]): Partial<OutsideView> => ({
  rows: new Map([...sound().rows, ...changed.map(([name, one]) => [key(SENT[name]), one] as const)]),
});
const told = (name: Name, ...hooks: ReceivedWebhook[]): Partial<OutsideView> => ({
  webhooks: [...sound().webhooks.filter(({ payload }) => payload.transaction_code !== name), ...hooks],
});
const books = (without: (one: BookEntry) => boolean, ...more: BookEntry[]): Partial<OutsideView> => ({
  books: [...ENTRIES.filter((one) => !without(one)), ...more],
});
const asked = (name: Name, fields: Partial<SentPayout>): Partial<OutsideView> => ({
  sent: NAMES.map((one) => (one === name ? { ...SENT[one], ...fields } : SENT[one])),
});
const none = (): boolean => false;
const wallet = (by: bigint): Partial<OutsideView> => ({
  wallets: [{ partner: 1, currency: 'KES', before: 10_000_000n, after: 10_000_000n - SPENT + by }],
});

describe('the check from outside', () => {
  it('finds nothing where every promise was kept', () => {
    expect(checkOutside(sound(), { everyWebhook: true })).toEqual([]);
    expect(checkAnytime(sound())).toEqual([]);
  });

  it.each<[string, Partial<OutsideView>, RegExp]>([
    [
      'an accepted transaction that is gone',
      rows(['paid', null]),
      /paid \(accepted\) was answered 200 and is not there/,
    ],
    ['a refused one that exists', asked('paid', { outcome: 'refused' }), /was refused and exists/],
    ['another amount', rows(['paid', row('paid', { amount: '1500.01' })]), /paid has the amount 1500.01/],
    ['another currency', rows(['paid', row('paid', { currency_code: 'NGN' })]), /paid is in NGN, sent in KES/],
    ['another markup', rows(['mobile', row('mobile', { fee: '0.00' })]), /mobile has the fee 0.00, sent 50/],
    ['another service fee', rows(['paid', row('paid', { service_fee: '0.00' })]), /paid has the service fee 0.00/],
    ['another account', rows(['paid', row('paid', { account_number: '1' })]), /paid goes to another recipient/],
    ['another phone', rows(['mobile', row('mobile', { shortcode: '0712347891' })]), /mobile goes to another recipient/],
  ])('at any time: %s', (_, change, fault) => {
    expect(checkAnytime(sound(change)).join('\n')).toMatch(fault);
    expect(checkOutside(sound(change)).join('\n')).toMatch(fault);
  });

  it.each<[string, Partial<OutsideView>, RegExp]>([
    [
      'one that never ends',
      rows(['paid', row('paid', { status: 'PROCESSING', receipt_number: null })]),
      /paid has not ended: PROCESSING instead of COMPLETE/,
    ],
    [
      'one that ends elsewhere',
      rows(['paid', row('paid', { status: 'FAILED', receipt_number: null })]),
      /paid ended FAILED, and should have ended COMPLETE/,
    ],
    [
      'one that ends though it must wait for people',
      rows(['held', row('held', { status: 'COMPLETE' })]),
      /held ended COMPLETE, and should have ended PROCESSING/,
    ],
    [
      'one that did not come back',
      rows(['back', row('back', { status: 'COMPLETE' })]),
      /back ended COMPLETE, and should have ended REVERSED/,
    ],
    [
      'another failure code',
      rows(['failed', row('failed', { failure_code: 'rail_rejected' })]),
      /failed has the failure code rail_rejected/,
    ],
    [
      'a FAILED that was paid, and whose row says nothing',
      rows(['late', row('late', { correction: '' })]),
      /late was paid after its end, and its correction is ""/,
    ],
    [
      'a correction of what nobody paid',
      rows(['failed', row('failed', { correction: LATE })]),
      /failed was not paid after its end/,
    ],
    ['another name', rows(['paid', row('paid', { public_name: 'TEST 1' })]), /paid has the name TEST 1/],
  ])('the end: %s', (_, change, fault) => {
    expect(checkOutside(sound(change)).join('\n')).toMatch(fault);
  });

  it.each<[string, Partial<OutsideView>, RegExp]>([
    [
      'a COMPLETE nobody paid',
      books(({ receipt }) => receipt === 'R-paid'),
      /paid is COMPLETE and its receipt R-paid is not in a rail's book/,
    ],
    [
      'a COMPLETE without a receipt',
      rows(['paid', row('paid', { receipt_number: null })]),
      /receipt null is not in a rail's book/,
    ],
    [
      'a FAILED with a receipt',
      rows(['failed', row('failed', { receipt_number: 'R-paid' })]),
      /failed is FAILED and has the receipt R-paid/,
    ],
    [
      'the receipt of another payment',
      rows(['paid', row('paid', { receipt_number: 'R-twice-2' })]),
      /paid: its receipt is for another payment/,
    ],
    [
      'a payment of another amount',
      books(({ receipt }) => receipt === 'R-paid', entry('paid', { amount: '1.00' })),
      /paid: its receipt is for another payment/,
    ],
    [
      'the markup paid out too',
      books(({ receipt }) => receipt === 'R-mobile', entry('mobile', { amount: '1500.00' })),
      /mobile: its receipt is for another payment/,
    ],
    ['a receipt given twice', books(none, entry('paid')), /gave the receipt R-paid twice/],
    [
      'a payment taken back that never was',
      books(none, entry('paid', { receipt: 'R-0', status: 'REVERSED' })),
      /took R-0 back, which does not stand/,
    ],
    [
      'a payment made twice',
      books(none, entry('paid', { receipt: 'R-2' })),
      /the rails paid 150000, 150000; its transactions account for 150000$/m,
    ],
    [
      'made twice, by two rails',
      books(none, entry('mobile', { receipt: 'B-2' })),
      /the rails paid 145000, 145000; its transactions account for 145000$/m,
    ],
    [
      'a faulty rail that paid once only',
      books(({ receipt }) => receipt === 'R-twice-2'),
      /the rails paid 150000; its transactions account for 150000, 150000/,
    ],
    [
      'a FAILED that was paid',
      books(none, entry('failed', { receipt: 'R-2' })),
      /the rails paid 150000; its transactions account for nothing/,
    ],
    [
      'a payment for nothing that was sent',
      books(none, entry('paid', { receipt: 'R-2', recipient: { shortcode: '0700000000' } })),
      /to KES 0700000000\/\/ the rails paid 150000/,
    ],
    [
      'a COMPLETE whose payment came back',
      books(none, entry('paid', { status: 'REVERSED' })),
      /paid is COMPLETE, and its payment came back/,
    ],
    [
      'a REVERSED whose payment stands',
      books(({ status }) => status === 'REVERSED'),
      /back is REVERSED, and its payment stands/,
    ],
    [
      'two transactions for one payment',
      { ...asked('late', { ...SENT.paid, code: 'late' }), ...rows(['late', { ...row('paid'), id: idOf('late') }]) },
      /paid and late have one receipt|late and paid have one receipt/,
    ],
  ])('the payments: %s', (_, change, fault) => {
    expect(checkOutside(sound(change)).join('\n')).toMatch(fault);
  });

  it.each<[string, Partial<OutsideView>, RegExp]>([
    ['money that is missing', wallet(-1n), /wallet KES of partner 1 is \d+, and should be \d+/],
    ['a service fee kept for REVERSED', wallet(-3_000n), /wallet KES/],
    ['a markup that did not come back', wallet(-5_000n), /wallet KES/],
    ['a debt that was not collected', wallet(150_000n), /wallet KES/],
    ['held money that is back though the end is open', wallet(153_000n), /wallet KES/],
    ['a second payment charged to the partner', wallet(-150_000n), /wallet KES/],
    [
      'a wallet that moved for nothing',
      { wallets: [...sound().wallets, { partner: 2, currency: 'NGN', before: 5n, after: 4n }] },
      /wallet NGN of partner 2/,
    ],
  ])('the wallets: %s', (_, change, fault) => {
    expect(checkOutside(sound(change)).join('\n')).toMatch(fault);
  });

  it.each<[string, Partial<OutsideView>, RegExp]>([
    ['an end that was not told', told('paid', hook('paid', 1, 'PROCESSING')), /its last webhook says PROCESSING/],
    ['silence', told('paid'), /nothing, there is none/],
    [
      'a REVERSED whose COMPLETE was not told',
      told('back', hook('back', 1, 'PROCESSING'), hook('back', 3, 'REVERSED')),
      /back: came back, and was never told to be COMPLETE/,
    ],
    [
      'a COMPLETE under another receipt',
      told('back', hook('back', 2, 'COMPLETE', { receipt_number: 'R9' }), hook('back', 3, 'REVERSED')),
      /told to be COMPLETE under another receipt/,
    ],
    [
      'a COMPLETE whose REVERSED was not told',
      told('back', hook('back', 1, 'PROCESSING'), hook('back', 2, 'COMPLETE')),
      /ended REVERSED, and its last webhook says COMPLETE/,
    ],
    [
      'an end told of what is open',
      told('held', hook('held', 1, 'PROCESSING'), hook('held', 2, 'COMPLETE')),
      /held: is PROCESSING, and a webhook says COMPLETE/,
    ],
    [
      'a status that goes back',
      told('paid', hook('paid', 1, 'COMPLETE'), hook('paid', 2, 'COMPLETE')),
      /went back from COMPLETE to COMPLETE/,
    ],
    [
      'one that changed its end',
      told('late', hook('late', 1, 'COMPLETE'), hook('late', 2, 'FAILED')),
      /went back from COMPLETE to FAILED/,
    ],
    ['a gap', told('paid', hook('paid', 2, 'COMPLETE')), /webhooks 2 are not 1, 2/],
    ['one that is missing at the end', told('held'), /held: was told , and not PROCESSING/],
    [
      'two contents under one id',
      told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 1, 'PENDING'), hook('paid', 2, 'COMPLETE')),
      /came with two contents/,
    ],
    [
      'a foreign id',
      told('paid', { ...hook('paid', 1, 'PROCESSING'), id: '99_1' }, hook('paid', 2, 'COMPLETE')),
      /webhook-id 99_1 is not 7_1/,
    ],
    [
      'another event',
      told('paid', hook('paid', 1, 'PROCESSING'), { ...hook('paid', 2, 'COMPLETE'), event: 'order.complete' }),
      /x-vuka-event order.complete with status COMPLETE/,
    ],
    [
      'a signature of nobody',
      told('paid', hook('paid', 1, 'PROCESSING'), { ...hook('paid', 2, 'COMPLETE'), partner: null }),
      /signed by nobody/,
    ],
    [
      'a signature of another partner',
      told('paid', hook('paid', 1, 'PROCESSING'), { ...hook('paid', 2, 'COMPLETE'), partner: 2 }),
      /tells of 2 paid, which nobody sent/,
    ],
    [
      'a webhook nobody asked for',
      asked('paid', { callback_url: undefined } as unknown as SentPayout),
      /told to a URL it does not have/,
    ],
    [
      'a FAILED without its code',
      told('failed', hook('failed', 1, 'PROCESSING'), hook('failed', 2, 'FAILED', { failure_code: undefined })),
      /failed: its final webhook says something else/,
    ],
    [
      'a correction that nobody was told',
      told('late', hook('late', 1, 'PROCESSING'), hook('late', 2, 'FAILED')),
      /late: was paid after its end \(R-late\), and nobody was told/,
    ],
    [
      'a correction told twice',
      told(
        'late',
        hook('late', 1, 'PROCESSING'),
        hook('late', 2, 'FAILED'),
        corrected('late', 3, 'FAILED'),
        corrected('late', 4, 'FAILED'),
      ),
      /late: was told to be corrected 2 times/,
    ],
    [
      'another correction',
      told(
        'late',
        hook('late', 1, 'PROCESSING'),
        hook('late', 2, 'FAILED'),
        corrected('late', 3, 'FAILED', { ...LATE, amount: '1.00' }),
      ),
      /late: was told another correction/,
    ],
    [
      'a correction of another receipt',
      told(
        'late',
        hook('late', 1, 'PROCESSING'),
        hook('late', 2, 'FAILED'),
        corrected('late', 3, 'FAILED', { ...LATE, receipt_number: 'R-paid' }),
      ),
      /late: was told another correction/,
    ],
    [
      'a correction told with another status',
      told('late', hook('late', 1, 'PROCESSING'), hook('late', 2, 'FAILED'), corrected('late', 3, 'REVERSED')),
      /late: was told another correction/,
    ],
    [
      'a correction of a COMPLETE',
      told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 2, 'COMPLETE'), corrected('paid', 3, 'COMPLETE')),
      /x-vuka-event transaction.corrected with status COMPLETE/,
    ],
    [
      'a correction in place of the end',
      told('late', hook('late', 1, 'PROCESSING'), corrected('late', 2, 'FAILED')),
      /late: ended FAILED, and its last webhook says PROCESSING/,
    ],
    [
      'a correction of what was not paid',
      told('failed', hook('failed', 1, 'PROCESSING'), hook('failed', 2, 'FAILED'), corrected('failed', 3, 'FAILED')),
      /failed: was told to be corrected, and its row says nothing/,
    ],
    [
      'a payment told to be held that nobody looks at',
      told(
        'paid',
        hook('paid', 1, 'PROCESSING'),
        { ...hook('paid', 2, 'PROCESSING'), event: 'transaction.held' },
        hook('paid', 3, 'COMPLETE'),
      ),
      /paid: was told to be held 1 times/,
    ],
    [
      'a final webhook that says something else',
      told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 2, 'COMPLETE', { receipt_number: 'R9' })),
      /says something else/,
    ],
  ])('the webhooks: %s', (_, change, fault) => {
    expect(checkOutside(sound(change), { everyWebhook: true }).join('\n')).toMatch(fault);
  });

  it('takes a FAILED with its code, and with no other', () => {
    const without = (code: string | undefined) =>
      sound(told('failed', hook('failed', 1, 'PROCESSING'), hook('failed', 2, 'FAILED', { failure_code: code })));
    for (const code of [undefined, 'cancelled'])
      expect(checkOutside(without(code)).join('\n')).toMatch(/failed: its final webhook says something else/);
  });

  it('lets a non-final webhook be overtaken where it may be', () => {
    expect(checkOutside(sound(told('paid', hook('paid', 2, 'COMPLETE'))))).toEqual([]);
  });

  it.each<[string, Partial<OutsideView>]>([
    ['to a recipient of its own', books(none, entry('paid', { receipt: 'R-2' }))],
    ['to another one', books(none, entry('paid', { receipt: 'R-2', recipient: { shortcode: '0700000000' } }))],
  ])('leaves a payment besides to the look at all scenes, where others pay: %s', (_, change) => {
    expect(checkOutside(sound(change)).join('\n')).toMatch(/the rails paid/);
    expect(checkOutside(sound(change), { everyWebhook: true, amongOthers: true })).toEqual([]);
  });

  it.each<[string, Partial<OutsideView>, RegExp]>([
    [
      'a COMPLETE nobody paid',
      books(({ receipt }) => receipt === 'R-paid'),
      /to KES \/1000017890\/01 the rails paid nothing; its transactions account for 150000/,
    ],
    [
      'a faulty rail that paid once only',
      books(({ receipt }) => receipt === 'R-twice-2'),
      /the rails paid 150000; its transactions account for 150000, 150000/,
    ],
    [
      'another amount',
      books(({ receipt }) => receipt === 'R-paid', entry('paid', { amount: '1.00' })),
      /the rails paid nothing; its transactions account for 150000/,
    ],
    [
      'a REVERSED whose payment stands',
      books(({ status }) => status === 'REVERSED'),
      /back is REVERSED, and its payment stands/,
    ],
    ['money that is missing', wallet(-1n), /wallet KES of partner 1/],
    ['silence', told('paid'), /nothing, there is none/],
  ])('finds among others as well: %s', (_, change, fault) => {
    expect(checkOutside(sound(change), { amongOthers: true }).join('\n')).toMatch(fault);
  });

  it('takes an open outcome either way', () => {
    expect(checkOutside(sound(asked('paid', { outcome: 'open' })))).toEqual([]);
    const never = {
      ...asked('paid', { outcome: 'open' as const }),
      ...rows(['paid', null]),
      ...told('paid'),
      ...books(({ receipt }) => receipt === 'R-paid'),
      ...wallet(153_000n),
    };
    expect(checkOutside(sound(never))).toEqual([]);
  });

  it('takes what people decided for the end', () => {
    const change = {
      ...rows(['held', row('held', { status: 'COMPLETE', receipt_number: 'R-held' })]),
      ...told('held', hook('held', 1, 'PROCESSING'), hook('held', 2, 'COMPLETE', { receipt_number: 'R-held' })),
    };
    expect(checkOutside(sound(change)).join('\n')).toMatch(/should have ended PROCESSING/);
    expect(checkOutside(sound(change), { settled: new Map([[key(SENT.held), 'COMPLETE']]) })).toEqual([]);
  });
});

describe('the check of webhooks', () => {
  it('leaves untold what goes to a receiver that is gone, and nothing else', () => {
    const gone = { ...asked('paid', { isUntold: true }), ...told('paid', hook('paid', 1, 'PROCESSING')) };
    expect(checkOutside(sound(gone))).toEqual([]);
    expect(checkOutside(sound({ ...gone, ...asked('failed', { isUntold: true }) })).join('\n')).toMatch(
      /paid: ended COMPLETE/,
    );
  });

  it('lets a partner try its endpoint, signed as all else', () => {
    const ping = {
      ...hook('paid', 1, 'TEST', { transaction_code: 'test-1' }),
      id: '7000000000000000_1',
      event: 'webhook.test',
    };
    const [all] = [sound().webhooks];
    expect(checkOutside(sound({ webhooks: [...all, ping] }))).toEqual([]);
    expect(checkOutside(sound({ webhooks: [...all, { ...ping, partner: null }] })).join('\n')).toMatch(
      /signed by nobody/,
    );
    expect(checkOutside(sound({ webhooks: [...all, { ...ping, event: 'transaction.complete' }] })).join('\n')).toMatch(
      /tells of 1 test-1, which nobody sent/,
    );
  });
});

describe('the check of what is told of a payment that people look at', () => {
  const held = (sequence: number): ReceivedWebhook => ({
    ...hook('paid', sequence, 'PROCESSING'),
    event: 'transaction.held',
  });
  const faultsOf = (screened: boolean, ...webhooks: ReceivedWebhook[]): string => {
    const one = {
      sent: SENT.paid,
      row: row('paid'),
      expected: expectationOf(SENT.paid),
      fate: { kind: 'funds', screened },
      vanished: null,
    } as unknown as Told;
    return webhookFaults({ ...sound(), sent: [SENT.paid], webhooks }, [one], { everyWebhook: true }).join('\n');
  };

  it('wants it to be told, beside that it is under way or in its place', () => {
    expect(faultsOf(true, hook('paid', 1, 'PROCESSING'), held(2), hook('paid', 3, 'COMPLETE'))).toBe('');
    expect(faultsOf(true, held(2), hook('paid', 3, 'COMPLETE'))).toBe('');
    expect(faultsOf(true, hook('paid', 1, 'PROCESSING'), hook('paid', 2, 'COMPLETE'))).toMatch(
      /is held, and nobody was told/,
    );
    expect(faultsOf(true, hook('paid', 1, 'PROCESSING'), held(2), held(3), hook('paid', 4, 'COMPLETE'))).toMatch(
      /told to be held 2 times/,
    );
    expect(faultsOf(false, hook('paid', 1, 'PROCESSING'), held(2), hook('paid', 3, 'COMPLETE'))).toMatch(
      /told to be held 1 times/,
    );
    expect(faultsOf(true, held(3), hook('paid', 4, 'COMPLETE'))).toMatch(/webhooks 3, 4 are not 1, 2/);
  });
});

describe('what a payout must come to', () => {
  it.each<[string, ControlAction[], string, string]>([
    ['7890', [], 'COMPLETE', 'paid'],
    ['7890', ['reverse'], 'REVERSED', 'back'],
    ['7890', ['pay'], 'COMPLETE', 'paid paid'],
    ['7890', ['pay', 'reverse'], 'COMPLETE', 'paid back'],
    ['7890', ['reverse', 'pay'], 'REVERSED', 'back paid, owes'],
    ['0004', [], 'PROCESSING', ''],
    ['0004', ['release'], 'COMPLETE', 'paid'],
    ['0004', ['pay'], 'COMPLETE', 'paid'],
    ['0000', ['pay'], 'FAILED', 'paid, owes'],
    ['0000', ['pay', 'reverse'], 'FAILED', 'back'],
    ['0005', [], 'REVERSED', 'back'],
    ['0007', [], 'FAILED', ''],
    ['0007', ['top_up'], 'COMPLETE', 'paid'],
    ['0007', ['release'], 'COMPLETE', 'paid'],
    ['0008', ['reverse'], 'COMPLETE', 'paid back'],
    ['0009', [], 'PROCESSING', 'paid'],
  ])('%s after %j is %s: %s', (number, controls, end, payments) => {
    const expected = expectationOf(sent('x', number, { controls }));
    const shown = `${expected.payments.map(({ back }) => (back ? 'back' : 'paid')).join(' ')}${expected.debt > 0n ? ', owes' : ''}`;
    expect([expected.end, shown]).toEqual([end, payments]);
  });

  it('of 0009 is one whole unit more, whatever the decimals of its currency', () => {
    const paid = (currency: string, number: string): bigint =>
      expectationOf(sent('x', number, { currency })).payments[0]?.amount ?? 0n;
    expect(['KES', 'UGX', 'USD'].map((currency) => paid(currency, '0009') - paid(currency, '7890'))).toEqual([
      100n,
      1n,
      100n,
    ]);
  });

  it('of ten sandbox numbers and one is documented, each once', () => {
    expect(SANDBOX_ROADS.map(({ number }) => number)).toEqual([
      '0000',
      '0001',
      '0002',
      '0003',
      '0004',
      '0005',
      '0006',
      '0007',
      '0008',
      '0009',
      '0010',
    ]);
  });
});
