import { coverageOf } from '../deposit/tolerance.js';
import type { OrderReason, OrderSituation, OrderState } from '../machine/order-table.js';
import { add, compare, sum, type Money } from '../money/money.js';

/** How long an order lives (interface.md, checkout order states). */
export const ORDER_LIVES_S = 420;

/** A sequencer's clock may be off by seconds: a block so much later than the end is on time (decisions.md section 4). */
export const ORDER_GRACE_MS = 30_000;

/** How long after its end what was seen in time may take to become final (decisions.md section 4). */
export const ORDER_CONFIRM_MS = 45 * 60_000;

/** So many deposits of one order count, the largest: who sends dust to it in thousands gets no say. */
export const MAX_COUNTED = 500;

/** What is known of one transfer to the address of an order, in one token. seen: not final. screened: final, and marked by screening. gone, reverted: not there any more. */
export type OrderDepositState = 'seen' | 'confirmed' | 'screened' | 'gone' | 'reverted';

export interface OrderDeposit {
  /** offramp's; null until it is final. */
  readonly depositId: number | null;
  readonly state: OrderDepositState;
  readonly chain: string;
  readonly received: Money;
  readonly blockTime: Date;
  /** What its order has used of it; null: nothing has been said of it yet. */
  readonly used: Money | null;
}

export interface OrderFacts {
  readonly state: OrderState;
  readonly reason: OrderReason;
  readonly chain: string;
  /** In the token that the order asks for. */
  readonly due: Money;
  /** Of that token. */
  readonly decimals: number;
  readonly expiresAt: Date;
  /** When its chain was seen to be past its end; null: not yet, whatever the clock says. */
  readonly passedAt: Date | null;
  /** Until then what was seen in time may become final: see `confirmDeadline`. */
  readonly confirmDeadline: Date;
}

export interface OrderJudgement {
  readonly situation: OrderSituation;
  /** What counts: final, not marked, in time, of the chain and the token. */
  readonly counted: Money;
  /** The same, with what is in sight and not final. */
  readonly received: Money;
  /** When time alone may change this; null: never. */
  readonly dueAt: Date | null;
}

/**
 * When an order stops waiting for what was seen in time: 45 minutes after its end (decisions.md section 4). Where its chain could not be looked
 * through past that end for long, what was found at last has two thirds of that from then on: an outage before `passedAt` fails nobody's payment.
 * One after it is not waited for: what was seen in time and is not final by then comes too late, the order fails, and its value is kept as unapplied.
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
 * How an order stands (chains.md section 6, judgement). Pure, and judged anew from everything that is known each time: neither the order in which it
 * was told nor how often matters. An order whose chain is not past its end does not fail, whatever the clock says.
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

/** What counts towards an order, the oldest first; of too many the largest. */
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

/** By the time of its block; by its number where several are in one. */
export function byAge(one: OrderDeposit, other: OrderDeposit): number {
  return one.blockTime.getTime() - other.blockTime.getTime() || (one.depositId ?? 0) - (other.depositId ?? 0);
}

/** Why a deposit is not what the order asked for; null where it is. */
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

/** Its time is over, and it is short: why. What screening has marked is nobody's business but ours. */
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
