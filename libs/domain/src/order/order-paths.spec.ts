import { describe, expect, it } from '@jest/globals';

import {
  isEndedOrder,
  ORDER_FOLLOWERS,
  ORDER_REASONS,
  ORDER_SITUATIONS,
  type OrderReason,
  type OrderState,
} from '../machine/order-table.js';
import { ORDER_CONFIRM_MS, type OrderDeposit, type OrderDepositState } from './judge-order.js';
import { isStill, orderStep, type OrderStep } from './order-step.js';
import { after, depositsOf, ORDER, passed } from './order.spec-support.js';

/** Possible next states. A vanished transfer may return as another deposit. */
const NEXT: Readonly<Record<OrderDepositState | 'none', readonly OrderDepositState[]>> = {
  none: ['seen', 'confirmed', 'screened'],
  seen: ['confirmed', 'screened', 'gone'],
  gone: ['seen', 'confirmed'],
  confirmed: ['reverted'],
  screened: ['reverted'],
  reverted: [],
};

interface World {
  readonly state: OrderState;
  readonly reason: OrderReason;
  readonly hasPassed: boolean;
  readonly isLate: boolean;
  readonly deposits: readonly { readonly facts: OrderDeposit; readonly told: OrderDepositState | 'none' }[];
  readonly statuses: readonly OrderState[];
  /** Sums of each settlement with credit. */
  readonly credits: readonly bigint[];
  readonly settled: readonly number[];
}

const start = (deposits: string): World => ({
  state: 'PENDING',
  reason: '',
  hasPassed: false,
  isLate: false,
  statuses: ['PENDING'],
  credits: [],
  settled: [],
  deposits: depositsOf(deposits).map((facts) => ({ facts, told: 'none' })),
});

const rowsOf = ({ deposits }: World): OrderDeposit[] =>
  deposits.flatMap(({ facts, told }) =>
    told === 'none'
      ? []
      : [{ ...facts, state: told, depositId: told === 'seen' || told === 'gone' ? null : facts.depositId }],
  );

function stepOf(world: World): OrderStep {
  const { state, reason, hasPassed, isLate } = world;
  return orderStep(
    { ...(hasPassed ? passed() : ORDER), state, reason },
    rowsOf(world),
    after(isLate ? ORDER_CONFIRM_MS : 60_000),
  );
}

function judged(world: World): World {
  const { moves, state, reason, settlement } = stepOf(world);
  const uses = new Map((settlement?.uses ?? []).map((use) => [use.depositId, use]));
  return {
    ...world,
    state,
    reason,
    statuses: [...world.statuses, ...moves],
    credits: settlement?.credits
      ? [...world.credits, [...uses.values()].reduce((sum, { credited }) => sum + credited.minor, 0n)]
      : world.credits,
    settled: [...world.settled, ...uses.keys()],
    deposits: world.deposits.map(({ facts, told }) => ({
      told,
      facts: { ...facts, used: uses.get(facts.depositId ?? 0)?.used ?? facts.used },
    })),
  };
}

function triggers(world: World): World[] {
  const told = world.deposits.flatMap(({ told: before }, at) =>
    NEXT[before].map((now): World => ({
      ...world,
      deposits: world.deposits.map((one, place) => (place === at ? { ...one, told: now } : one)),
    })),
  );
  return [
    ...told,
    ...(world.hasPassed ? [] : [{ ...world, hasPassed: true }]),
    ...(world.isLate ? [] : [{ ...world, isLate: true }]),
  ].map(judged);
}

/** Worlds with equal keys behave alike. */
const keyOf = ({ state, reason, hasPassed, isLate, statuses, credits, settled, deposits }: World): string =>
  [
    state,
    reason,
    hasPassed,
    isLate,
    statuses.join(),
    credits.join(),
    [...settled].sort().join(),
    ...deposits.map(({ facts, told }) => `${told} ${String(facts.used?.minor ?? null)}`),
  ].join('|');

interface Walk {
  /** All reachable worlds. */
  readonly worlds: readonly World[];
  readonly moves: readonly (readonly [World, World])[];
}

function walk(first: World): Walk {
  const seen = new Set([keyOf(first)]);
  const worlds = [first];
  const moves: (readonly [World, World])[] = [];
  for (const world of worlds) {
    for (const next of triggers(world)) {
      moves.push([world, next]);
      const key = keyOf(next);
      if (seen.has(key)) continue;
      seen.add(key);
      worlds.push(next);
    }
  }
  return { worlds, moves };
}

const SCENARIOS = [
  '10 USDC + 12 USDC',
  '4 USDC + 6 USDC + 1 USDC',
  '4 USDC + 6 USDC late',
  '10 USDT + 9.99 USDC',
  '10 USDC late + 5 USDC on CELO',
] as const;
const walks = SCENARIOS.map((name) => [name, walk(start(name))] as const);

describe.each(walks)('every path of an order to which %s may come', (_, { worlds, moves }) => {
  it('goes forward only, and tells each status once', () => {
    expect(worlds.length).toBeGreaterThan(100);
    const allowed = (from: OrderState, to: OrderState): boolean =>
      (ORDER_FOLLOWERS[from] as readonly OrderState[]).includes(to);
    const wrong = worlds.filter(
      ({ statuses, state }) =>
        statuses.at(-1) !== state || statuses.some((to, at) => at > 0 && !allowed(statuses[at - 1] ?? to, to)),
    );
    expect(wrong).toEqual([]);
  });

  it('ends for good, and what was said of its end is only ever told more exactly', () => {
    const ended = moves.filter(([before]) => isEndedOrder(before.state));
    expect(
      ended.filter(
        ([before, next]) =>
          before.state !== next.state ||
          (before.reason !== next.reason && before.reason !== '' && before.reason !== 'expired'),
      ),
    ).toEqual([]);
  });

  it('credits its amount exactly, once, where it is COMPLETE, and else nothing', () => {
    expect(
      worlds.filter(
        ({ state, credits }) => credits.join() !== (state === 'COMPLETE' ? ORDER.amount.minor.toString() : ''),
      ),
    ).toEqual([]);
  });

  it('settles each final deposit once, when it has ended, and uses nothing that does not count', () => {
    const isWrong = ({ state, settled, deposits }: World): boolean =>
      new Set(settled).size !== settled.length ||
      deposits.some(({ facts, told }) => {
        const isFinal = told === 'confirmed' || told === 'screened';
        if (isEndedOrder(state) ? isFinal && facts.used === null : facts.used !== null) return true;
        const used = facts.used?.minor ?? 0n;
        if (used < 0n || used > facts.received.minor) return true;
        return (
          used > 0n &&
          (facts.received.currency !== ORDER.due.currency ||
            facts.chain !== ORDER.chain ||
            facts.blockTime > ORDER.expiresAt ||
            !['confirmed', 'reverted'].includes(told))
        );
      });
    expect(worlds.filter(isWrong)).toEqual([]);
  });

  it('does not fail before its chain is past its end, nor while what is in sight may become final', () => {
    const failures = moves
      .filter(([before, next]) => !isEndedOrder(before.state) && next.state === 'FAILED')
      .map(([, next]) => next);
    expect(failures.length).toBeGreaterThan(0);
    const mayBePaid = ({ deposits }: World): boolean =>
      deposits.some(
        ({ facts, told }) =>
          told === 'seen' && facts.received.currency === ORDER.due.currency && facts.blockTime < ORDER.expiresAt,
      );
    expect(failures.filter((world) => !world.hasPassed || (mayBePaid(world) && !world.isLate))).toEqual([]);
  });

  it('has nothing more to say where nothing has happened, but for what is called to people', () => {
    expect(worlds.filter((world) => !isStill(world, { ...stepOf(world), alarm: false }))).toEqual([]);
  });

  it('is called to people exactly where what it was completed by has vanished', () => {
    const hasVanished = ({ deposits }: World): boolean =>
      deposits.some(({ facts, told }) => told === 'reverted' && (facts.used?.minor ?? 0n) > 0n);
    expect(
      worlds.filter(
        (world) => stepOf(world).alarm !== hasVanished(world) || (hasVanished(world) && world.state !== 'COMPLETE'),
      ),
    ).toEqual([]);
  });

  it('has ended once its chain is past its end and nothing is waited for', () => {
    expect(worlds.filter((world) => !isEndedOrder(judged({ ...world, hasPassed: true, isLate: true }).state))).toEqual(
      [],
    );
  });
});

describe('paths of orders', () => {
  const all = walks.flatMap(([, { worlds }]) => worlds);

  it('come to every situation and every reason', () => {
    expect([...new Set(all.map((world) => stepOf(world).situation))].sort()).toEqual(
      Object.keys(ORDER_SITUATIONS).sort(),
    );
    expect([...new Set(all.map(({ reason }) => reason))].sort()).toEqual([...ORDER_REASONS].sort());
  });

  it('come to the same end whichever deposit is told of first', () => {
    const end = (order: readonly number[]): World =>
      order.reduce(
        (world, at) =>
          judged({
            ...world,
            deposits: world.deposits.map((one, place) => (place === at ? { ...one, told: 'confirmed' } : one)),
          }),
        start('4 USDC + 3 USDC + 3 USDC'),
      );
    const ends = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ].map((order) => JSON.stringify(end(order).deposits.map(({ facts }) => facts.used?.minor.toString())));
    expect(new Set(ends).size).toBe(1);
  });
});
