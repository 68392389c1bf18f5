import { compare, zero } from '../money/money.js';
import { decideOrder, isEndedOrder, type OrderReason, type OrderState } from '../machine/order-table.js';
import {
  byAge,
  countedDeposits,
  judgeOrder,
  misfitOf,
  type OrderDeposit,
  type OrderFacts,
  type OrderJudgement,
} from './judge-order.js';
import { orderUses, type OrderPrice, type OrderUse } from './order-uses.js';

/** The next step reports the others. */
export const MAX_SETTLED = 1_000;

/** Each deposit is settled once. */
export interface OrderSettlement {
  /** True: the credits add up to the order's amount. False: nothing is used. */
  readonly credits: boolean;
  /** Why part of them is unused; '' = all used. */
  readonly reason: OrderReason;
  /** Oldest first, including unused deposits. */
  readonly uses: readonly OrderUse[];
}

/** Written in one commit; see `isStill`. */
export interface OrderStep extends OrderJudgement {
  /** One transition, webhook and public sequence each. */
  readonly moves: readonly OrderState[];
  readonly state: OrderState;
  readonly reason: OrderReason;
  readonly settlement: OrderSettlement | null;
  /** A deposit of a completed order vanished. Repeated in each later judgement. */
  readonly alarm: boolean;
}

/**
 * After it is applied, the same facts give no more moves. `dueAt`: when to call again if nothing happens; `now` if
 * more deposits wait than one step settles.
 */
export function orderStep(order: OrderFacts & OrderPrice, deposits: readonly OrderDeposit[], now: Date): OrderStep {
  const judged = judgeOrder(order, deposits, now);
  const { kind, steps, reason: told } = decideOrder(order, judged.situation);
  const state = steps.at(-1) ?? order.state;
  const reason = told ?? order.reason;
  const unsettled = isEndedOrder(state) ? deposits.filter(isUnsettled) : [];
  const settlement = settle({ ...order, reason }, state === 'COMPLETE' && state !== order.state, deposits, unsettled);
  const more = unsettled.length > (settlement?.uses.length ?? 0);
  return {
    ...judged,
    dueAt: isEndedOrder(state) ? (more ? now : null) : judged.dueAt,
    moves: steps,
    state,
    reason,
    settlement,
    alarm: kind === 'alarm',
  };
}

/** Nothing to write. */
export function isStill(order: Pick<OrderFacts, 'reason'>, { moves, reason, settlement, alarm }: OrderStep): boolean {
  return moves.length === 0 && reason === order.reason && settlement === null && !alarm;
}

/** Final, in the ledger, and not settled. */
const isUnsettled = ({ state, depositId, used }: OrderDeposit): boolean =>
  (state === 'confirmed' || state === 'screened') && depositId !== null && used === null;

function settle(
  order: OrderFacts & OrderPrice,
  completes: boolean,
  deposits: readonly OrderDeposit[],
  unsettled: readonly OrderDeposit[],
): OrderSettlement | null {
  if (unsettled.length === 0) return null;
  const used = completes ? orderUses(order, countedDeposits(order, deposits)) : [];
  const paying = new Map(used.map((use) => [use.depositId, use]));
  // The paying ones must be in one settlement; they always fit.
  const pays = ({ depositId }: OrderDeposit): boolean => paying.has(depositId ?? 0);
  const payingFirst = [...unsettled.filter(pays).sort(byAge), ...unsettled.filter((one) => !pays(one)).sort(byAge)];
  const chosen = payingFirst.slice(0, MAX_SETTLED).sort(byAge);
  const uses = chosen.map(
    ({ depositId, received }) =>
      paying.get(depositId ?? 0) ?? {
        depositId: depositId ?? 0,
        used: zero(received.currency),
        credited: zero(order.amount.currency),
      },
  );
  const left = chosen.find(({ received }, at) => compare(received, uses[at]?.used ?? zero(received.currency)) > 0);
  return { credits: completes, reason: left === undefined ? '' : leftBecause(order, completes, left), uses };
}

function leftBecause(order: OrderFacts, completes: boolean, deposit: OrderDeposit): OrderReason {
  return misfitOf(order, deposit) ?? (completes || order.state === 'COMPLETE' ? 'overpaid' : order.reason);
}
