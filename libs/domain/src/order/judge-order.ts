import { coverageOf } from '../deposit/tolerance.js';
import type { OrderReason, OrderSituation, OrderState } from '../machine/order-table.js';
import { add, compare, sum, type Money } from '../money/money.js';

/** interface.md, checkout order states. */
export const ORDER_LIVES_S = 420;

/** A sequencer's clock may be wrong by seconds (decisions.md section 4). */
export const ORDER_GRACE_MS = 30_000;

/** For deposits seen in time (decisions.md section 4). */
export const ORDER_CONFIRM_MS = 45 * 60_000;

/** Only the largest deposits count, so dust in thousands has no effect. */
export const MAX_COUNTED = 500;

/** seen: not final. screened: final, but on the screening list. gone, reverted: no longer on the chain. */
export type OrderDepositState = 'seen' | 'confirmed' | 'screened' | 'gone' | 'reverted';

export interface OrderDeposit {
  /** null until final. */
  readonly depositId: number | null;
  readonly state: OrderDepositState;
  readonly chain: string;
  readonly received: Money;
  readonly blockTime: Date;
  /** null: not settled yet. */
  readonly used: Money | null;
}

export interface OrderFacts {
  readonly state: OrderState;
  readonly reason: OrderReason;
  readonly chain: string;
  /** In the requested token. */
  readonly due: Money;
  /** The token's. */
  readonly decimals: number;
  readonly expiresAt: Date;
  /** When the chain scan passed the order's end; null: not yet, whatever the clock says. */
  readonly passedAt: Date | null;
  /** See `confirmDeadline`. */
  readonly confirmDeadline: Date;
}

export interface OrderJudgement {
  readonly situation: OrderSituation;
  /** Final, not screened, in time, right chain and token. */
  readonly counted: Money;
  /** Also what is not final. */
  readonly received: Money;
  /** When time alone may change this; null: never. */
  readonly dueAt: Date | null;
}

/**
 * 45 minutes after the end (decisions.md section 4). If the scan passed the end late, at least two thirds of
 * that from then: our outage fails no payment.
 * An outage after `passedAt` does not extend it: the order fails, and late value is unapplied.
 */
export function confirmDeadline(
  { expiresAt, passedAt }: Pick<OrderFacts, 'expiresAt' | 'passedAt'>,
  confirmMs = ORDER_CONFIRM_MS,
): Date {
  const usual = expiresAt.getTime() + confirmMs;
  if (passedAt === null) return new Date(usual);
  const sincePassed = passedAt.getTime() + confirmMs - confirmMs / 3;
  return new Date(Math.max(usual, sincePassed));
}

/**
 * chains.md section 6, judgement. Pure, from all known facts: order and repetition of events do not matter.
 * Before `passedAt` an order does not fail, whatever the clock says.
 */
export function judgeOrder(order: OrderFacts, deposits: readonly OrderDeposit[], now: Date): OrderJudgement {
  const { currency } = order.due;
  const counted = sum(currency, countedDeposits(order, deposits).map(receivedOf));
  const inSight = deposits.filter((deposit) => deposit.state === 'seen' && wouldCount(order, deposit));
  const received = add(counted, sum(currency, inSight.map(receivedOf)));
  const told = (situation: OrderSituation, dueAt: Date | null = null): OrderJudgement => ({
    situation,
    counted,
    received,
    dueAt,
  });

  if (deposits.some(({ state, used }) => state === 'reverted' && (used?.minor ?? 0n) > 0n)) return told('undone');
  const { verdict } = coverageOf(counted, order.due, order);
  if (verdict === 'surplus') return told('overpaid');
  if (verdict === 'covered' && counted.minor > 0n) return told('paid');
  if (order.passedAt === null) return told(received.minor > 0n ? 'in_sight' : 'waiting');
  if (inSight.length > 0 && now < order.confirmDeadline) return told('in_sight', order.confirmDeadline);
  return told(endOf(order, deposits, counted));
}

/** Oldest first; if too many, the largest. */
export function countedDeposits(
  order: Pick<OrderFacts, 'chain' | 'due' | 'expiresAt'>,
  deposits: readonly OrderDeposit[],
): readonly OrderDeposit[] {
  return deposits
    .filter((deposit) => deposit.state === 'confirmed' && wouldCount(order, deposit))
    .sort((one, other) => compare(other.received, one.received) || byAge(one, other))
    .slice(0, MAX_COUNTED)
    .sort(byAge);
}

/** By block time, then by id. */
export function byAge(one: OrderDeposit, other: OrderDeposit): number {
  return one.blockTime.getTime() - other.blockTime.getTime() || (one.depositId ?? 0) - (other.depositId ?? 0);
}

/** null: it fits. */
export function misfitOf(
  order: Pick<OrderFacts, 'chain' | 'due' | 'expiresAt'>,
  { chain, received, blockTime }: OrderDeposit,
): 'wrong_network' | 'wrong_asset' | 'late' | null {
  if (chain !== order.chain) return 'wrong_network';
  if (received.currency !== order.due.currency) return 'wrong_asset';
  return blockTime.getTime() <= order.expiresAt.getTime() + ORDER_GRACE_MS ? null : 'late';
}

const wouldCount = (order: Pick<OrderFacts, 'chain' | 'due' | 'expiresAt'>, deposit: OrderDeposit): boolean =>
  misfitOf(order, deposit) === null;

/** Why the order ended short. Screening is not revealed. */
function endOf(order: OrderFacts, deposits: readonly OrderDeposit[], counted: Money): OrderSituation {
  if (counted.minor > 0n) return 'underpaid';
  const there = new Set(
    deposits
      .filter(({ state }) => state === 'seen' || state === 'confirmed')
      .map((deposit) => misfitOf(order, deposit)),
  );
  return (['wrong_asset', 'wrong_network', 'late'] as const).find((misfit) => there.has(misfit)) ?? 'expired';
}

const receivedOf = ({ received }: OrderDeposit): Money => received;
