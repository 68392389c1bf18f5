import { add, lesser, money, subtract, sum, zero, type Money } from '../money/money.js';
import type { OrderDeposit } from './judge-order.js';

/** What an order takes of one deposit, and what its partner gets for that. */
export interface OrderUse {
  readonly depositId: number;
  /** Of its token, at most what was received. */
  readonly used: Money;
  /** Of the order's currency. */
  readonly credited: Money;
}

export interface OrderPrice {
  /** In the token. */
  readonly due: Money;
  /** What the partner gets. */
  readonly amount: Money;
}

/**
 * What an order that is COMPLETE takes of each deposit that counts, given the oldest first: all of each until what is due is reached, so the last ones may
 * be left over. What they credit adds up to the order's amount exactly: each one's part is the difference of two floors. Throws where nothing counts.
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
