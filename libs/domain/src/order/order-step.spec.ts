import { describe, expect, it } from '@jest/globals';

import { MAX_COUNTED, ORDER_CONFIRM_MS } from './judge-order.js';
import { isStill, MAX_SETTLED, orderStep } from './order-step.js';
import { after, deposit, depositsOf, ORDER, passed, tokens, units } from './order.spec-support.js';
import { money } from '../money/money.js';

const SOON = after(-1);
const ENDED = after(60_000);
const complete = { ...ORDER, state: 'COMPLETE', reason: '' } as const;
const failed = { ...passed(), state: 'FAILED', reason: 'expired' } as const;

describe('orderStep', () => {
  it('says nothing where nothing has come', () => {
    const step = orderStep(ORDER, [], SOON);
    expect(step).toEqual({
      situation: 'waiting',
      counted: units(0n),
      received: units(0n),
      dueAt: null,
      moves: [],
      state: 'PENDING',
      reason: '',
      settlement: null,
      alarm: false,
    });
    expect(isStill(ORDER, step)).toBe(true);
  });

  it('goes through PROCESSING where the first word is of final money', () => {
    expect(orderStep(ORDER, depositsOf('10 USDC'), SOON)).toMatchObject({
      moves: ['PROCESSING', 'COMPLETE'],
      state: 'COMPLETE',
      reason: '',
      dueAt: null,
      settlement: {
        credits: true,
        reason: '',
        uses: [{ depositId: 1, used: tokens('10'), credited: ORDER.amount }],
      },
    });
  });

  it('settles with its end whatever is final, and says why something is left over', () => {
    const uses = (deposits: string): unknown => {
      const { settlement } = orderStep({ ...passed(), state: 'PROCESSING' }, depositsOf(deposits), ENDED);
      return settlement && [settlement.credits, settlement.reason, ...settlement.uses.map(({ used }) => used.minor)];
    };
    expect(uses('12 USDC')).toEqual([true, 'overpaid', tokens('10').minor]);
    expect(uses('10.005 USDC')).toEqual([true, 'overpaid', tokens('10').minor]);
    expect(uses('10 USDC + 1 USDT')).toEqual([true, 'wrong_asset', tokens('10').minor, 0n]);
    expect(uses('10 USDC screened + 10 USDC')).toEqual([true, 'overpaid', 0n, tokens('10').minor]);
    expect(uses('4 USDC + 6 USDC late')).toEqual([false, 'underpaid', 0n, 0n]);
    expect(uses('10 USDT')).toEqual([false, 'wrong_asset', 0n]);
    expect(uses('10 USDC on CELO')).toEqual([false, 'wrong_network', 0n]);
    expect(uses('10 USDC late')).toEqual([false, 'late', 0n]);
    expect(uses('10 USDC screened')).toEqual([false, 'expired', 0n]);
    expect(uses('10 USDT seen')).toBeNull();
    expect(uses('10 USDC reverted')).toBeNull();
  });

  it('settles what comes later, for nothing', () => {
    const later = (order: Parameters<typeof orderStep>[0], deposits: string): unknown => {
      const { moves, reason, settlement } = orderStep(order, depositsOf(deposits), after(2 * ORDER_CONFIRM_MS));
      return [
        moves.length,
        reason,
        settlement?.credits,
        settlement?.reason,
        settlement?.uses.map(({ depositId }) => depositId),
      ];
    };
    expect(later(complete, '10 USDC used + 3 USDC')).toEqual([0, 'overpaid', false, 'overpaid', [2]]);
    expect(later(complete, '10 USDC used + 3 USDC screened')).toEqual([0, '', false, 'overpaid', [2]]);
    expect(later(complete, '9.99 USDC used + 0.005 USDC')).toEqual([0, '', false, 'overpaid', [2]]);
    expect(later(complete, '10 USDC used + 3 USDC late')).toEqual([0, '', false, 'late', [2]]);
    expect(later(complete, '10 USDC used + 3 USDT')).toEqual([0, '', false, 'wrong_asset', [2]]);
    expect(later(failed, '10 USDC')).toEqual([0, 'late', false, 'late', [1]]);
    expect(later(failed, '4 USDC')).toEqual([0, 'underpaid', false, 'underpaid', [1]]);
    expect(later({ ...failed, reason: 'wrong_asset' }, '10 USDC late')).toEqual([0, 'wrong_asset', false, 'late', [1]]);
    expect(later(failed, '10 USDC late seen')).toEqual([0, 'late', undefined, undefined, undefined]);
  });

  it('has people called where what it was completed by has vanished, and stays', () => {
    expect(orderStep(complete, depositsOf('10 USDC used reverted'), ENDED)).toMatchObject({
      moves: [],
      state: 'COMPLETE',
      reason: '',
      settlement: null,
      alarm: true,
    });
  });

  it('waits for what is in sight until the deadline, and has to be asked again then', () => {
    const order = { ...passed(), state: 'PROCESSING' } as const;
    expect(orderStep(order, depositsOf('10 USDC seen'), ENDED)).toMatchObject({
      moves: [],
      dueAt: after(ORDER_CONFIRM_MS),
    });
    expect(orderStep(order, depositsOf('10 USDC seen'), after(ORDER_CONFIRM_MS))).toMatchObject({
      moves: ['FAILED'],
      reason: 'expired',
      dueAt: null,
      settlement: null,
    });
  });

  it('settles so many at once at most, those that pay first, and the others with the next step', () => {
    const dust = Array.from({ length: MAX_SETTLED + 200 }, (_, at) =>
      deposit(at + 1, { received: money(1n, 'USDT@BASE'), blockTime: after(-90_000) }),
    );
    const paid = [...dust, deposit(9_000, { received: tokens('4') }), deposit(9_001, { received: tokens('6') })];
    const { settlement, dueAt } = orderStep(ORDER, paid, SOON);
    expect(settlement?.uses).toHaveLength(MAX_SETTLED);
    expect(settlement?.uses.reduce((sum, { credited }) => sum + credited.minor, 0n)).toBe(ORDER.amount.minor);
    expect(dueAt).toEqual(SOON);
    const told = new Set(settlement?.uses.map(({ depositId }) => depositId));
    const next = orderStep(
      complete,
      paid.map((one) => (told.has(one.depositId ?? 0) ? { ...one, used: units(0n) } : one)),
      SOON,
    );
    expect(next).toMatchObject({ dueAt: null, settlement: { credits: false, reason: 'wrong_asset' } });
    expect(next.settlement?.uses).toHaveLength(202);
    expect(MAX_COUNTED).toBeLessThanOrEqual(MAX_SETTLED);
  });
});
