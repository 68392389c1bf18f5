import { add, lesser, money, subtract, sum, zero, type Money } from '../money/money.js';
import type { OrderDeposit } from './judge-order.js';

export interface OrderUse {
  readonly depositId: number;
  /** Its token, at most what was received. */
  readonly used: Money;
  /** The order's currency. */
  readonly credited: Money;
}

export interface OrderPrice {
  /** The token. */
  readonly due: Money;
  /** What the partner gets. */
  readonly amount: Money;
}

/**
 * Takes deposits oldest first until `due` is reached. Each credit is the difference of two floors, so they add
 * up to the amount exactly. Throws if none counts.
 */
export function orderUses({ due, amount }: OrderPrice, counted: readonly OrderDeposit[]): readonly OrderUse[] {
  const all = sum(
    due.currency,
    counted.map(({ received }) => received),
  );
  const usable = lesser(all, due);
  if (usable.minor <= 0n) throw new RangeError('orderUses: nothing counts');
  let [usedBefore, creditedBefore] = [zero(due.currency), zero(amount.currency)];
  return counted.map(({ depositId, received }) => {
    if (depositId === null) throw new Error('orderUses: a deposit that is not final');
    const used = lesser(received, subtract(usable, usedBefore));
    usedBefore = add(usedBefore, used);
    const creditedThen = money((amount.minor * usedBefore.minor) / usable.minor, amount.currency);
    const credited = subtract(creditedThen, creditedBefore);
    creditedBefore = creditedThen;
    return { depositId, used, credited };
  });
}
