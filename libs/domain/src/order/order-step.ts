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

/** Of so many deposits at most is told at once; the others with the next step. */
export const MAX_SETTLED = 1_000;

/** What an order says of deposits that it said nothing of before: each is settled once. */
export interface OrderSettlement {
  /** These pay for it: what they credit adds up to its amount. False: they are used for nothing. */
  readonly credits: boolean;
  /** Why something of them is left over; '' where nothing is. */
  readonly reason: OrderReason;
  /** The oldest first, what is used of none of them included. */
  readonly uses: readonly OrderUse[];
}

/** What is to be written of an order, in one commit; nothing where `isStill` says so. */
export interface OrderStep extends OrderJudgement {
  /** Its states one after the other: one transition, one webhook and one public sequence for each. */
  readonly moves: readonly OrderState[];
  /** Afterwards. */
  readonly state: OrderState;
  readonly reason: OrderReason;
  readonly settlement: OrderSettlement | null;
  /** What it was completed by has vanished: people must know. Said with each judgement from then on. */
  readonly alarm: boolean;
}

/**
 * What follows for an order from all that is known of it now. Apply it, with `used` of the settled ones, and the same facts give no further moves. `dueAt` is
 * when to ask again without news: at `now` where there were more deposits than are settled at once.
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

/** Whether there is nothing to write of the order itself. */
export function isStill(order: Pick<OrderFacts, 'reason'>, { moves, reason, settlement, alarm }: OrderStep): boolean {
  return moves.length === 0 && reason === order.reason && settlement === null && !alarm;
}

/** Final, in the ledger, and nothing was said of it. */
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
  // Those that pay must be told together; they are fewer than fit.
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
