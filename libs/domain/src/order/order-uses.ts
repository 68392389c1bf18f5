import type { OrderDeposit } from './judge-order.js';

/** What an order takes of one deposit, and what its partner gets for that. */
export interface OrderUse {
  readonly depositId: number;
  /** Token minor units, at most what was received. */
  readonly usedMinor: bigint;
  /** Minor units of the order's currency. */
  readonly creditedMinor: bigint;
}

export interface OrderPrice {
  /** Token minor units. */
  readonly dueMinor: bigint;
  /** Minor units of its currency: what the partner gets. */
  readonly amountMinor: bigint;
}

/**
 * What an order that is COMPLETE takes of each deposit that counts, given the oldest first: all of each until what is due is reached, so the last ones may
 * be left over. What they credit adds up to the order's amount exactly: each one's part is the difference of two floors. Throws where nothing counts.
 */
export function orderUses(
  { dueMinor, amountMinor }: OrderPrice,
  counted: readonly OrderDeposit[],
): readonly OrderUse[] {
  const sum = counted.reduce((total, { receivedMinor }) => total + receivedMinor, 0n);
  const usable = sum < dueMinor ? sum : dueMinor;
  if (usable <= 0n) throw new RangeError('orderUses: nothing counts');
  let [used, credited] = [0n, 0n];
  return counted.map(({ depositId, receivedMinor }) => {
    if (depositId === null) throw new Error('orderUses: a deposit that is not final');
    const usedMinor = receivedMinor < usable - used ? receivedMinor : usable - used;
    used += usedMinor;
    const creditedMinor = (amountMinor * used) / usable - credited;
    credited += creditedMinor;
    return { depositId, usedMinor, creditedMinor };
  });
}
