import { describe, expect, it } from '@jest/globals';

import { asked, faultsOf, hook, hooksOf, numberOf, row, rows, told } from './check-orders.spec-support.js';
import type { OutsideView } from './outside-view.js';

describe('the check of orders from outside', () => {
  it.each<[string, Partial<OutsideView>[], RegExp]>([
    ['silence', [told('paid')], /order paid: ended COMPLETE, and its last webhook says nothing/],
    [
      'an end that was not told',
      [told('paid', hook('paid', 1, 'PROCESSING'))],
      /order paid: ended COMPLETE, and its last webhook says PROCESSING/,
    ],
    ['a beginning that was not told', [told('paid', hook('paid', 1, 'COMPLETE'))], /order paid: was told 1 COMPLETE/],
    [
      'a gap',
      [told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 3, 'COMPLETE'))],
      /order paid: was told 1 PROCESSING, 3 COMPLETE/,
    ],
    [
      'an end of what is open',
      [told('waits', hook('waits', 1, 'PROCESSING'), hook('waits', 2, 'COMPLETE'))],
      /order waits: is PROCESSING, and a webhook says COMPLETE/,
    ],
    [
      'two ends',
      [told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 2, 'FAILED'), hook('paid', 3, 'COMPLETE'))],
      /order paid: went back from FAILED to COMPLETE/,
    ],
    [
      'two contents under one id',
      [told('paid', ...hooksOf('paid'), hook('paid', 2, 'COMPLETE', { rawBody: '{}' }))],
      /order paid: webhook 2 came with two contents/,
    ],
    [
      'two numbers',
      [told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 2, 'COMPLETE', { id: '7_2' }))],
      /order paid: webhook-id 7_2 is no number of it/,
    ],
    [
      'another number than it is credited by',
      [told('paid', ...hooksOf('paid').map((one) => ({ ...one, id: `7_${one.sequence}` })))],
      /order paid is told as 7, and credited as 5000000000000000/,
    ],
    [
      'the number of another order',
      [told('under', ...hooksOf('under').map((one) => ({ ...one, id: `${numberOf('paid')}_${one.sequence}` })))],
      /orders under and paid are told under one number/,
    ],
    [
      'the event of a transaction',
      [told('paid', hook('paid', 1, 'PROCESSING'), hook('paid', 2, 'COMPLETE', { event: 'transaction.complete' }))],
      /order paid: x-vuka-event transaction.complete/,
    ],
    [
      'a signature of another partner',
      [told('paid', ...hooksOf('paid'), hook('paid', 2, 'COMPLETE', { partner: 2 }))],
      /a webhook tells of 2 order paid, which nobody sent/,
    ],
    [
      'a signature of nobody',
      [told('paid', ...hooksOf('paid').map((one) => ({ ...one, partner: null })))],
      /is signed by nobody/,
    ],
    ['one that nobody asked for', [asked('paid', { isTold: false })], /order paid was told, and nobody asked for it/],
    [
      "another word than its row's",
      [rows(row('paid', { message: 'other' }))],
      /order paid: its final webhook says something else/,
    ],
  ])('the webhooks: %s', (_, changes, fault) => {
    expect(faultsOf(changes)).toMatch(fault);
  });

  it('lets a non-final webhook be overtaken where it may be', () => {
    expect(faultsOf([told('paid', hook('paid', 2, 'COMPLETE'))], {})).toBe('');
  });
});
