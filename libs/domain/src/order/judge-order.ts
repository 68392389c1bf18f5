import { isWithinTolerance, shortfallTolerated } from '../deposit/amounts.js';
import type { OrderReason, OrderSituation, OrderState } from '../machine/order-table.js';
import type { Asset } from '../money/money.js';

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
  /** USDC@BASE */
  readonly asset: Asset;
  /** Token minor units. */
  readonly receivedMinor: bigint;
  readonly blockTime: Date;
  /** What its order has used of it; null: nothing has been said of it yet. */
  readonly usedMinor: bigint | null;
}

export interface OrderFacts {
  readonly state: OrderState;
  readonly reason: OrderReason;
  readonly chain: string;
  /** USDC@BASE */
  readonly asset: Asset;
  /** Of the token. */
  readonly decimals: number;
  /** Token minor units. */
  readonly dueMinor: bigint;
  readonly expiresAt: Date;
  /** When its chain was seen to be past its end; null: not yet, whatever the clock says. */
  readonly passedAt: Date | null;
  /** Until then what was seen in time may become final: see `confirmDeadline`. */
  readonly confirmDeadline: Date;
}

export interface OrderJudgement {
  readonly situation: OrderSituation;
  /** Token minor units that count: final, not marked, in time, of the chain and the token. */
  readonly countedMinor: bigint;
  /** The same, with what is in sight and not final. */
  readonly receivedMinor: bigint;
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
  const countedMinor = sum(countedDeposits(order, deposits));
  const inSight = deposits.filter((deposit) => deposit.state === 'seen' && wouldCount(order, deposit));
  const receivedMinor = countedMinor + sum(inSight);
  const told = (situation: OrderSituation, dueAt: Date | null = null): OrderJudgement => ({
    situation,
    countedMinor,
    receivedMinor,
    dueAt,
  });

  if (deposits.some(({ state, usedMinor }) => state === 'reverted' && (usedMinor ?? 0n) > 0n)) return told('undone');
  if (countedMinor > order.dueMinor + shortfallTolerated(order.dueMinor, order)) return told('overpaid');
  if (countedMinor > 0n && isWithinTolerance(countedMinor, order.dueMinor, order)) return told('paid');
  if (order.passedAt === null) return told(receivedMinor > 0n ? 'in_sight' : 'waiting');
  if (inSight.length > 0 && now < order.confirmDeadline) return told('in_sight', order.confirmDeadline);
  return told(endOf(order, deposits, countedMinor));
}

/** What counts towards an order, the oldest first; of too many the largest. */
export function countedDeposits(
  order: Pick<OrderFacts, 'chain' | 'asset' | 'expiresAt'>,
  deposits: readonly OrderDeposit[],
): readonly OrderDeposit[] {
  return deposits
    .filter((deposit) => deposit.state === 'confirmed' && wouldCount(order, deposit))
    .sort((one, other) => compare(other.receivedMinor, one.receivedMinor) || byAge(one, other))
    .slice(0, MAX_COUNTED)
    .sort(byAge);
}

/** By the time of its block; by its number where several are in one. */
export function byAge(one: OrderDeposit, other: OrderDeposit): number {
  return one.blockTime.getTime() - other.blockTime.getTime() || (one.depositId ?? 0) - (other.depositId ?? 0);
}

/** Why a deposit is not what the order asked for; null where it is. */
export function misfitOf(
  order: Pick<OrderFacts, 'chain' | 'asset' | 'expiresAt'>,
  { chain, asset, blockTime }: OrderDeposit,
): 'wrong_network' | 'wrong_asset' | 'late' | null {
  if (chain !== order.chain) return 'wrong_network';
  if (asset !== order.asset) return 'wrong_asset';
  return blockTime.getTime() <= order.expiresAt.getTime() + ORDER_GRACE_MS ? null : 'late';
}

const wouldCount = (order: Pick<OrderFacts, 'chain' | 'asset' | 'expiresAt'>, deposit: OrderDeposit): boolean =>
  misfitOf(order, deposit) === null;

/** Its time is over, and it is short: why. What screening has marked is nobody's business but ours. */
function endOf(order: OrderFacts, deposits: readonly OrderDeposit[], countedMinor: bigint): OrderSituation {
  if (countedMinor > 0n) return 'underpaid';
  const there = new Set(
    deposits
      .filter(({ state }) => state === 'seen' || state === 'confirmed')
      .map((deposit) => misfitOf(order, deposit)),
  );
  return (['wrong_asset', 'wrong_network', 'late'] as const).find((misfit) => there.has(misfit)) ?? 'expired';
}

const sum = (deposits: readonly OrderDeposit[]): bigint =>
  deposits.reduce((total, { receivedMinor }) => total + receivedMinor, 0n);
const compare = (one: bigint, other: bigint): number => (one === other ? 0 : one < other ? -1 : 1);
