import { describe, expect, it } from '@jest/globals';

import type { Outflow } from '../books/refund-outflows.js';
import type { AskedRefund } from '../partner/asked-refund.js';
import { orderKey } from '../partner/sent-order.js';
import {
  INCOMING_TRANSFERS,
  COMPLETE,
  credit,
  entry,
  faultsOf,
  hashOf,
  type Name,
  orders,
  replaced,
  wallet,
} from './check-orders.spec-support.js';
import type { OutsideView } from './outside-view.js';

describe('the check of orders from outside', () => {
  it.each<[string, Partial<OutsideView>[], RegExp]>([
    [
      'no row',
      [orders({ credits: COMPLETE.filter((name) => name !== 'paid').map((name) => credit(name)) })],
      /order paid is COMPLETE, and was credited 0 times/,
    ],
    [
      'two rows',
      [orders({ credits: [...COMPLETE, 'paid' as const].map((name) => credit(name)) })],
      /order paid is COMPLETE, and was credited 2 times/,
    ],
    [
      'a row though it FAILED',
      [orders({ credits: [...COMPLETE, 'under' as const].map((name) => credit(name)) })],
      /order under is FAILED, and was credited 1 times/,
    ],
    [
      'a row of an order that nobody sent',
      [orders({ credits: [...COMPLETE.map((name) => credit(name)), credit('paid', { order_id: 'x' })] })],
      /c-paid credits an order that nobody sent/,
    ],
    [
      'another amount',
      [orders({ credits: COMPLETE.map((name) => credit(name, name === 'paid' ? { amount: '1000.01' } : {})) })],
      /order paid is credited as COLLECTION COMPLETE 1000.01 KES/,
    ],
    [
      'a row that is no collection',
      [orders({ credits: COMPLETE.map((name) => credit(name, { category: 'DISBURSEMENT' })) })],
      /order paid is credited as DISBURSEMENT/,
    ],
    [
      "nothing in the wallet's book",
      [orders({ entries: COMPLETE.filter((name) => name !== 'paid').map((name) => entry(name)) })],
      /order paid brought its wallet 0, and is 100000 KES/,
    ],
    [
      "too much in the wallet's book",
      [orders({ entries: [...COMPLETE, 'paid' as const].map((name) => entry(name)) })],
      /order paid brought its wallet 200000/,
    ],
    ['less in the wallet', [wallet(-100_000n)], /wallet KES of partner 1 is \d+, and should be \d+/],
    ['a cent too much in the wallet', [wallet(1n)], /wallet KES of partner 1/],
  ])('the credit: %s', (_, changes, fault) => {
    expect(faultsOf(changes)).toMatch(fault);
  });

  it("takes a credit of several deposits for one, and what is left over for the wallet's where that is the policy", () => {
    expect(
      faultsOf([
        orders({
          entries: [
            ...COMPLETE.filter((name) => name !== 'topped').map((name) => entry(name)),
            entry('topped', 38_416n),
            entry('topped', 61_584n),
          ],
        }),
      ]),
    ).toBe('');
    // Surplus of 1.190946, then 7.799053, and four times 7.809054 unused.
    expect(faultsOf([wallet(15_250n + 99_871n + 4n * 100_000n)], { unapplied: 'wallet' })).toBe('');
    expect(faultsOf([], { unapplied: 'wallet' })).toMatch(/wallet KES/);
  });

  it('holds a partner to what was credited and vanished', () => {
    const vanishedOrders = new Map([[orderKey({ partner: 1, id: 'paid' }), INCOMING_TRANSFERS[0]!]]);
    expect(faultsOf([replaced('paid'), wallet(-100_000n)], { vanishedOrders })).toBe('');
    expect(faultsOf([replaced('paid')], { vanishedOrders })).toMatch(/wallet KES/);
  });

  describe('of what goes back', () => {
    const THEIRS = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';
    const back = (name: Name, amount: string, ...left: bigint[]): Partial<OutsideView> => {
      const request: AskedRefund = {
        partner: 1,
        chain: 'CELO',
        hash: hashOf(name),
        to: THEIRS,
        told: { address: THEIRS, asset: 'USDC', amount },
      };
      return {
        refunds: {
          asked: [request],
          outflows: left.map((value): Outflow => ({
            chain: 'CELO',
            hash: '0x2',
            to: THEIRS.toLowerCase(),
            symbol: 'USDC',
            value,
          })),
        },
      };
    };

    it('takes what was left over, and all of what was used for nothing', () => {
      expect(faultsOf([back('over', '1.190946', 1_190_946n)])).toBe('');
      expect(faultsOf([back('under', '7.799053', 7_799_053n)])).toBe('');
      expect(faultsOf([back('late', '7.809054')])).toBe('');
    });

    it.each<[string, Partial<OutsideView>, RegExp]>([
      [
        'with what was used',
        back('over', '9.000000', 9_000_000n),
        /9.000000 USDC of 0x1\w+ on CELO is told to go back, and did not come, or was used[^]*9000000 USDC to 0xab\w+ on CELO left a refund wallet 1 times, and 0 were/,
      ],
      ['of what was used', back('paid', '7.809054'), /7.809054 USDC of 0x1\w+ on CELO is told to go back/],
      ['twice', back('over', '1.190946', 1_190_946n, 1_190_946n), /2 times, and 1 were asked for/],
    ])('finds what goes back %s', (_, change, fault) => {
      expect(faultsOf([change])).toMatch(fault);
    });
  });
});
