import { describe, expect, it } from '@jest/globals';

import { SCREENED_SENDER, tokenNamed } from '../books/chain-facts.js';
import {
  addressOf,
  answer,
  incomingTransfer,
  INCOMING_TRANSFERS,
  asked,
  chain,
  faultsOf,
  GRACE,
  hashOf,
  LATE,
  orders,
  replaced,
  row,
  rows,
  sound,
} from './check-orders.spec-support.js';
import { checkAnytime } from './check-outside.js';
import type { OutsideView } from './outside-view.js';

describe('the check of orders from outside', () => {
  it('finds nothing where each ended by what came to its address', () => {
    expect(faultsOf([])).toBe('');
    expect(checkAnytime(sound())).toEqual([]);
    expect(faultsOf([chain([...INCOMING_TRANSFERS, incomingTransfer('never', 1n, { address: '0xb2' })])])).toBe('');
  });

  it('finds one that was answered at a rate of before, whatever it says', () => {
    const moved = Date.parse('2026-01-02T11:50:00.000Z');
    const rates = new Map([
      [
        'KES',
        [
          { rate: '128.0565', from: -Infinity, until: moved },
          { rate: '129', from: moved, until: Infinity },
        ],
      ],
    ]);
    expect(faultsOf([{ deposits: { ...sound().deposits!, rates } }])).toMatch(
      /order paid has the rate 128.0565, and not 129$/m,
    );
    const justMoved = new Map([
      [
        'KES',
        [
          { rate: '128.0565', from: -Infinity, until: Date.parse('2026-01-02T11:59:30.000Z') },
          { rate: '129', from: Date.parse('2026-01-02T11:59:30.000Z'), until: Infinity },
        ],
      ],
    ]);
    expect(faultsOf([{ deposits: { ...sound().deposits!, rates: justMoved } }])).toBe('');
  });

  it.each<[string, Partial<OutsideView>[], RegExp]>([
    [
      'was answered and is gone',
      [rows(), orders({ rows: new Map([...sound().orders!.rows, ['1 order paid', null]]) })],
      /order paid was answered 200 and is not there/,
    ],
    ['was refused and is there', [asked('never', { outcome: 'refused' })], /order never was refused and exists/],
    [
      'has the address of another one',
      [asked('paid', { answers: [answer('paid', { address: addressOf('never') })] })],
      /order never has the address 0x0+9 of order paid/,
    ],
    [
      'has the address of its partner',
      [asked('paid', { answers: [answer('paid', { address: '0x00000000000000000000000000000000000000A1' })] })],
      /order paid has the address 0x0+a1 of partner 1/,
    ],
    [
      'was answered in two ways',
      [asked('paid', { answers: [answer('paid'), answer('paid', { asset_amount: '7.809055' })] })],
      /order paid was answered in two ways/,
    ],
    [
      'asks for a unit too much',
      [asked('paid', { answers: [answer('paid', { asset_amount: '7.809055' })] })],
      /order paid asks for 7.809055 USDC/,
    ],
    [
      'asks for too little',
      [asked('paid', { answers: [answer('paid', { asset_amount: '7.809053' })] })],
      /order paid asks for 7.809053 USDC/,
    ],
    [
      'tells too few dollars',
      [asked('paid', { answers: [answer('paid', { amount: 7.8 })] })],
      /order paid is said to be 7.8 dollars/,
    ],
    [
      'is at another rate',
      [asked('paid', { answers: [answer('paid', { rate: 128.1, asset_amount: '7.806402' })] })],
      /order paid has the rate 128.1/,
    ],
    [
      'is another one than was asked for',
      [asked('paid', { answers: [answer('paid', { network: 'BASE' })] })],
      /order paid is answered as paid in USDC on BASE/,
    ],
    [
      'tells another address later',
      [rows(row('paid', { address: addressOf('never') }))],
      /order paid has the address 0x0+9, and was answered/,
    ],
    [
      'went back',
      [asked('paid', { seen: ['PENDING', 'PROCESSING', 'PENDING'] })],
      /order paid went back: PENDING, PROCESSING, PENDING/,
    ],
  ])('at any time: one that %s', (_, changes, fault) => {
    expect(checkAnytime(sound(...changes)).join('\n')).toMatch(fault);
    expect(faultsOf(changes)).toMatch(fault);
  });

  it.each<[string, Partial<OutsideView>[], RegExp]>([
    ['is COMPLETE by nothing', [replaced('paid')], /order paid ended COMPLETE , and should have ended FAILED/],
    [
      'is COMPLETE by too little',
      [replaced('paid', incomingTransfer('paid', 7_799_053n))],
      /order paid ended COMPLETE , and should have ended FAILED/,
    ],
    [
      'is COMPLETE by what came too late',
      [replaced('paid', incomingTransfer('paid', 7_809_054n, { at: LATE }))],
      /order paid ended COMPLETE , and should have ended FAILED/,
    ],
    [
      'is COMPLETE by another token',
      [replaced('paid', incomingTransfer('paid', 7_809_054n, { token: tokenNamed('CELO', 'USDT')! }))],
      /order paid ended COMPLETE/,
    ],
    [
      'is COMPLETE on another chain',
      [replaced('paid', incomingTransfer('paid', 7_809_054n, { chain: 'BASE', token: tokenNamed('BASE', 'USDC')! }))],
      /order paid ended COMPLETE/,
    ],
    [
      'is COMPLETE before it is final',
      [replaced('paid', incomingTransfer('paid', 7_809_054n, { finalAt: null }))],
      /order paid ended COMPLETE , and should have ended PROCESSING/,
    ],
    [
      'is COMPLETE by who is on the list',
      [replaced('paid', incomingTransfer('paid', 7_809_054n, { senders: [SCREENED_SENDER.toLowerCase()] }))],
      /order paid ended COMPLETE/,
    ],
    [
      'is COMPLETE by what came to another order',
      [replaced('paid', incomingTransfer('paid', 7_809_054n, { address: addressOf('over') }))],
      /order paid ended COMPLETE/,
    ],
    [
      'FAILED though enough came',
      [replaced('under', incomingTransfer('under', 7_799_054n))],
      /order under ended FAILED underpaid, and should have ended COMPLETE/,
    ],
    [
      'FAILED though enough came in the last second',
      [replaced('late', incomingTransfer('late', 7_809_054n, { at: GRACE }))],
      /order late ended FAILED late, and should have ended COMPLETE/,
    ],
    [
      'FAILED though it has time',
      [orders({ at: GRACE })],
      /order never ended FAILED expired, and should have ended PENDING or PROCESSING/,
    ],
    [
      'FAILED though what came may yet be final',
      [rows(row('waits', { status: 'FAILED', reason: 'expired' }))],
      /order waits ended FAILED expired, and should have ended PROCESSING/,
    ],
    [
      'never ends',
      [rows(row('never', { status: 'PENDING', reason: '' }))],
      /order never has not ended: PENDING instead of FAILED/,
    ],
    [
      'says nothing of what is over',
      [rows(row('over', { reason: '' }))],
      /order over is COMPLETE for the reason '', and not 'overpaid'/,
    ],
    [
      'has another reason',
      [rows(row('network', { reason: 'late' }))],
      /order network is FAILED for the reason 'late', and not 'wrong_network'/,
    ],
    [
      'has expired though something came',
      [rows(row('late', { reason: 'expired' }))],
      /order late is FAILED for the reason 'expired', and not 'late'/,
    ],
    [
      'names a transfer of nobody',
      [rows(row('paid', { transaction_hash: hashOf('over') }))],
      /order paid names the transfer 0x1/,
    ],
    ['names none', [rows(row('paid', { transaction_hash: '' }))], /order paid names the transfer/],
  ])('the end: one that %s', (_, changes, fault) => {
    expect(faultsOf(changes)).toMatch(fault);
  });
});
