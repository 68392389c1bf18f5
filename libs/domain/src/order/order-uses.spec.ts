import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { shortfallTolerated } from '../deposit/tolerance.js';
import { add, compare, money, zero } from '../money/money.js';
import { countedDeposits, judgeOrder, type OrderDeposit } from './judge-order.js';
import { orderUses, type OrderPrice } from './order-uses.js';
import { after, deposit, ORDER, tokens, units } from './order.spec-support.js';

const usesOf = (price: OrderPrice, ...received: readonly string[]): (readonly [number, bigint, bigint])[] =>
  orderUses(
    price,
    received.map((text, at) => deposit(at + 1, { received: tokens(text) })),
  ).map(({ depositId, used, credited }) => [depositId, used.minor, credited.minor]);

describe('orderUses', () => {
  it.each([
    ['exact', ['10'], [[1, '10', 1_293_50n]]],
    ['short within the tolerance: the amount all the same', ['9.99'], [[1, '9.99', 1_293_50n]]],
    ['a surplus is left over', ['12'], [[1, '10', 1_293_50n]]],
    [
      'in two parts',
      ['4', '6'],
      [
        [1, '4', 517_40n],
        [2, '6', 776_10n],
      ],
    ],
    [
      'in three parts, the last one left over in part',
      ['3', '3', '7'],
      [
        [1, '3', 388_05n],
        [2, '3', 388_05n],
        [3, '4', 517_40n],
      ],
    ],
    [
      'one more than is needed',
      ['10', '5'],
      [
        [1, '10', 1_293_50n],
        [2, '0', 0n],
      ],
    ],
    [
      'thirds: what each floor leaves is in the next',
      ['3.333333', '3.333333', '3.333334'],
      [
        [1, '3.333333', 431_16n],
        [2, '3.333333', 431_17n],
        [3, '3.333334', 431_17n],
      ],
    ],
    [
      'dust credits nothing by itself',
      ['0.000001', '10'],
      [
        [1, '0.000001', 0n],
        [2, '9.999999', 1_293_50n],
      ],
    ],
  ] as const)('%s', (_, received, expected) => {
    expect(usesOf(ORDER, ...received)).toEqual(
      expected.map(([id, used, credited]) => [id, tokens(used).minor, credited]),
    );
  });

  it('is of final deposits, and of some', () => {
    expect(() => orderUses(ORDER, [])).toThrow(RangeError);
    expect(() => orderUses(ORDER, [deposit(1, { received: zero('USDC@BASE') })])).toThrow(RangeError);
    expect(() => orderUses(ORDER, [deposit(1, { depositId: null })])).toThrow('not final');
  });

  const minor = fc.bigInt(1n, 10n ** 12n);
  const scale = fc.constantFrom(1n, 10n ** 12n);
  const received = fc.array(fc.tuple(fc.bigInt(1n, 1_000n), fc.nat(5)), { minLength: 1, maxLength: 12 });
  const cases = fc.tuple(minor, minor, scale, received).map(([units6, shillings, unit, parts]) => {
    const due = units(units6 * unit);
    const order = { ...ORDER, decimals: unit === 1n ? 6 : 18, due, amount: money(shillings, 'KES') };
    const deposits = parts.map(([thousandths, minute], at): OrderDeposit => {
      const part = (due.minor * thousandths) / 500n;
      return deposit(at + 1, {
        received: units(part > 0n ? part : 1n),
        blockTime: after(-minute * 60_000),
      });
    });
    return { order, deposits };
  });

  it('credits the amount exactly and uses what is due, or all there is, whoever tells what first', () => {
    const shuffled = cases.chain(({ order, deposits }) =>
      fc.shuffledSubarray(deposits, { minLength: deposits.length }).map((other) => ({ order, deposits, other })),
    );
    fc.assert(
      fc.property(shuffled, ({ order, deposits, other }) => {
        const uses = orderUses(order, countedDeposits(order, deposits));
        expect(orderUses(order, countedDeposits(order, other))).toEqual(uses);
        const sum = deposits.reduce((total, { received: { minor: one } }) => total + one, 0n);
        expect(uses.reduce((total, { credited }) => total + credited.minor, 0n)).toBe(order.amount.minor);
        expect(uses.reduce((total, { used }) => total + used.minor, 0n)).toBe(
          sum < order.due.minor ? sum : order.due.minor,
        );
        for (const {
          depositId,
          used: { minor: usedMinor },
          credited: { minor: creditedMinor },
        } of uses) {
          const own = deposits.find((one) => one.depositId === depositId)?.received.minor ?? 0n;
          expect(usedMinor >= 0n && usedMinor <= own && creditedMinor >= 0n).toBe(true);
          if (usedMinor === 0n) expect(creditedMinor).toBe(0n);
        }
      }),
    );
  });

  it('gives each deposit its part to the unit', () => {
    fc.assert(
      fc.property(cases, ({ order, deposits }) => {
        const uses = orderUses(order, countedDeposits(order, deposits));
        const total = uses.reduce((sum, { used }) => sum + used.minor, 0n);
        for (const { used, credited } of uses) {
          const apart = credited.minor * total - order.amount.minor * used.minor;
          expect(apart > -total && apart < total).toBe(true);
        }
      }),
    );
  });

  it('is asked of orders that are short by no more than the tolerance', () => {
    fc.assert(
      fc.property(cases, ({ order, deposits }) => {
        const { situation, counted } = judgeOrder(order, deposits, after(-1));
        const isEnough = compare(add(counted, shortfallTolerated(order.due, order)), order.due) >= 0;
        expect(situation === 'paid' || situation === 'overpaid').toBe(isEnough);
      }),
    );
  });
});
