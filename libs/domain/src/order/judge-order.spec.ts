import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { readGolden } from '../machine/golden.spec-support.js';
import { ORDER_SITUATIONS } from '../machine/order-table.js';
import {
  confirmDeadline,
  countedDeposits,
  judgeOrder,
  MAX_COUNTED,
  ORDER_CONFIRM_MS,
  ORDER_GRACE_MS,
  type OrderFacts,
} from './judge-order.js';
import { after, deposit, depositsOf, END, ORDER, passed, tokens, units } from './order.spec-support.js';

const HOUR_MS = 3_600_000;
const TIMES: Readonly<Record<string, readonly [OrderFacts, Date]>> = {
  'before the end': [ORDER, after(-1)],
  'chain behind': [ORDER, after(5 * HOUR_MS)],
  'chain is past the end': [passed(), after(ORDER_CONFIRM_MS - 1)],
  '45 minutes after': [passed(), after(ORDER_CONFIRM_MS)],
};

const [golden = []] = readGolden('judgement.md', join(import.meta.dirname, 'golden'));

describe('judgeOrder', () => {
  it.each(golden)('%s, %s: %s', (deposits, time, situation) => {
    const [order, now] = TIMES[time] ?? [ORDER, END];
    expect(judgeOrder(order, depositsOf(deposits), now).situation).toBe(situation);
  });

  it('has every situation in its golden copy', () => {
    expect([...new Set(golden.map(([, , situation]) => situation))].sort()).toEqual(
      Object.keys(ORDER_SITUATIONS).sort(),
    );
  });

  it.each([
    ['nothing', '0', '0'],
    ['4 USDC + 1 USDC seen', '4', '5'],
    [
      '4 USDC + 1 USDC seen + 2 USDC late + 2 USDT + 2 USDC on CELO + 2 USDC screened + 2 USDC gone + 2 USDC reverted',
      '4',
      '5',
    ],
    ['10 USDC used + 7 USDC', '17', '17'],
  ])('of %s counts %s, and %s with what is in sight', (deposits, counted, received) => {
    for (const [order, now] of Object.values(TIMES)) {
      expect(judgeOrder(order, depositsOf(deposits), now)).toMatchObject({
        counted: tokens(counted),
        received: tokens(received),
      });
    }
  });

  it('has to be asked again at the deadline where something in sight may still become final, and else never', () => {
    const seen = depositsOf('10 USDC seen');
    expect(judgeOrder(passed(), seen, after(60_000)).dueAt).toEqual(after(ORDER_CONFIRM_MS));
    expect(judgeOrder(passed(), seen, after(ORDER_CONFIRM_MS)).dueAt).toBeNull();
    for (const deposits of ['nothing', '4 USDC', '10 USDC seen', '10 USDT seen'])
      expect(judgeOrder(ORDER, depositsOf(deposits), after(-1)).dueAt).toBeNull();
    for (const deposits of ['nothing', '4 USDC', '10 USDT seen', '10 USDC'])
      expect(judgeOrder(passed(), depositsOf(deposits), after(60_000)).dueAt).toBeNull();
  });

  it('tolerates a thousandth where that is more than a hundredth of a token', () => {
    const large = passed({ ...ORDER, due: tokens('1000') });
    expect(judgeOrder(large, depositsOf('999 USDC'), after(60_000)).situation).toBe('paid');
    expect(judgeOrder(large, depositsOf('998.999999 USDC'), after(60_000)).situation).toBe('underpaid');
    expect(judgeOrder(large, depositsOf('1001 USDC'), after(60_000)).situation).toBe('paid');
    expect(judgeOrder(large, depositsOf('1001.000001 USDC'), after(60_000)).situation).toBe('overpaid');
  });

  it('tolerates a hundredth of what is due where less than a token is', () => {
    const small = passed({ ...ORDER, due: tokens('0.5') });
    expect(judgeOrder(small, depositsOf('0.495 USDC'), after(60_000)).situation).toBe('paid');
    expect(judgeOrder(small, depositsOf('0.494999 USDC'), after(60_000)).situation).toBe('underpaid');
    expect(judgeOrder(small, depositsOf('0.505 USDC'), after(60_000)).situation).toBe('paid');
    expect(judgeOrder(small, depositsOf('0.505001 USDC'), after(60_000)).situation).toBe('overpaid');
  });

  it('never takes nothing for a payment, however little is due', () => {
    expect(judgeOrder({ ...ORDER, due: units(1n) }, [], after(-1)).situation).toBe('waiting');
    expect(judgeOrder(passed({ ...ORDER, due: units(1n) }), [], after(60_000)).situation).toBe('expired');
  });

  it('does not depend on the order in which deposits are told', () => {
    const rows = fc.shuffledSubarray(
      golden.map(([deposits]) => deposits).filter((text) => text !== 'nothing'),
      { minLength: 1, maxLength: 3 },
    );
    const cases = rows
      .map((texts) => depositsOf(texts.join(' + ')))
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    fc.assert(
      fc.property(cases, fc.constantFrom(...Object.values(TIMES)), ([all, shuffled], [order, now]) => {
        expect(judgeOrder(order, shuffled, now)).toEqual(judgeOrder(order, all, now));
      }),
    );
  });
});

describe('countedDeposits', () => {
  it('are the oldest first, and by their numbers within a block', () => {
    const [old, young, third] = [deposit(9, { blockTime: after(-90_000) }), deposit(3), deposit(5)];
    expect(countedDeposits(ORDER, [third, young, old]).map(({ depositId }) => depositId)).toEqual([9, 3, 5]);
  });

  it('are the largest where there are too many: dust pushes no payment out', () => {
    const dust = Array.from({ length: 2 * MAX_COUNTED }, (_, at) =>
      deposit(at + 1, { received: units(1n), blockTime: after(-90_000) }),
    );
    const counted = countedDeposits(ORDER, [...dust, deposit(5_000)]);
    expect(counted).toHaveLength(MAX_COUNTED);
    expect(counted.at(-1)?.depositId).toBe(5_000);
    expect(judgeOrder(ORDER, [...dust, deposit(5_000)], after(-1)).situation).toBe('paid');
  });
});

describe('confirmDeadline', () => {
  it('is 45 minutes after the end, and as good as that after a chain that could not be looked at', () => {
    expect(confirmDeadline({ expiresAt: END, passedAt: null })).toEqual(after(45 * 60_000));
    expect(confirmDeadline({ expiresAt: END, passedAt: after(ORDER_GRACE_MS) })).toEqual(after(45 * 60_000));
    expect(confirmDeadline({ expiresAt: END, passedAt: after(15 * 60_000) })).toEqual(after(45 * 60_000));
    expect(confirmDeadline({ expiresAt: END, passedAt: after(2 * HOUR_MS) })).toEqual(after(2 * HOUR_MS + 30 * 60_000));
    expect(confirmDeadline({ expiresAt: END, passedAt: after(ORDER_GRACE_MS) }, 90_000)).toEqual(after(90_000));
  });

  it('is the same whatever keeps what is in sight from becoming final after that: what comes later is not lost, and does not pay the order', () => {
    const order = passed();
    const [last, over] = [after(ORDER_CONFIRM_MS - 1), after(ORDER_CONFIRM_MS)];
    expect([last, over].map((now) => judgeOrder(order, depositsOf('10 USDC seen'), now).situation)).toEqual([
      'in_sight',
      'expired',
    ]);
  });

  it('leaves what was found after a long outage its time', () => {
    const late = passed(ORDER, after(2 * HOUR_MS));
    expect(judgeOrder(late, depositsOf('10 USDC seen'), after(2 * HOUR_MS)).situation).toBe('in_sight');
  });
});
