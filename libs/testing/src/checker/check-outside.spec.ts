import { describe, expect, it } from '@jest/globals';

import { key } from '../partner/sent-payout.js';
import { checkAnytime, checkOutside } from './check-outside.js';
import {
  asked,
  books,
  entry,
  hook,
  idOf,
  LATE,
  none,
  row,
  rows,
  SENT,
  sound,
  told,
  wallet,
} from './check-outside.spec-support.js';
import type { OutsideView } from './outside-view.js';

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
      /paid is COMPLETE and its receipt R-paid is not in a provider's book/,
    ],
    [
      'a COMPLETE without a receipt',
      rows(['paid', row('paid', { receipt_number: null })]),
      /receipt null is not in a provider's book/,
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
      /the providers paid 150000, 150000; its transactions account for 150000$/m,
    ],
    [
      'made twice, by two providers',
      books(none, entry('mobile', { receipt: 'B-2' })),
      /the providers paid 145000, 145000; its transactions account for 145000$/m,
    ],
    [
      'a faulty provider that paid once only',
      books(({ receipt }) => receipt === 'R-twice-2'),
      /the providers paid 150000; its transactions account for 150000, 150000/,
    ],
    [
      'a FAILED that was paid',
      books(none, entry('failed', { receipt: 'R-2' })),
      /the providers paid 150000; its transactions account for nothing/,
    ],
    [
      'a payment for nothing that was sent',
      books(none, entry('paid', { receipt: 'R-2', recipient: { shortcode: '0700000000' } })),
      /to KES 0700000000\/\/ the providers paid 150000/,
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

  it.each<[string, Partial<OutsideView>]>([
    ['to a recipient of its own', books(none, entry('paid', { receipt: 'R-2' }))],
    ['to another one', books(none, entry('paid', { receipt: 'R-2', recipient: { shortcode: '0700000000' } }))],
  ])('leaves a payment besides to the look at all fixtures, where others pay: %s', (_, change) => {
    expect(checkOutside(sound(change)).join('\n')).toMatch(/the providers paid/);
    expect(checkOutside(sound(change), { everyWebhook: true, amongOthers: true })).toEqual([]);
  });

  it.each<[string, Partial<OutsideView>, RegExp]>([
    [
      'a COMPLETE nobody paid',
      books(({ receipt }) => receipt === 'R-paid'),
      /to KES \/1000017890\/01 the providers paid nothing; its transactions account for 150000/,
    ],
    [
      'a faulty provider that paid once only',
      books(({ receipt }) => receipt === 'R-twice-2'),
      /the providers paid 150000; its transactions account for 150000, 150000/,
    ],
    [
      'another amount',
      books(({ receipt }) => receipt === 'R-paid', entry('paid', { amount: '1.00' })),
      /the providers paid nothing; its transactions account for 150000/,
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
