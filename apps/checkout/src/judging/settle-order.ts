import { encodeAmount, encodeDeposit, type Envelope, type OrderSettled } from '@vuka/contracts';
import { encodeMinor, type OrderSettlement, type OrderUse } from '@vuka/domain';

import type { Order, OrderDeposit } from '../orders/index.js';

/** An envelope holds 32 KiB, a use about 600 bytes. */
export const USES_AT_ONCE = 40;

/** Splits many uses over several events, each with the whole credit. */
export function settledEvents(
  order: Order,
  settlement: OrderSettlement,
  deposits: readonly OrderDeposit[],
): readonly Envelope<'order.settled'>['data'][] {
  const byId = new Map(deposits.map((deposit) => [deposit.depositId, deposit]));
  const uses = settlement.uses.map((use) => useOf(use, byId.get(use.depositId)));
  const base = {
    order_number: order.orderNumber,
    order_id: order.orderId,
    partner_id: order.partnerId,
    currency: order.amount.currency,
    rate: order.rate,
    reason: settlement.reason,
    credit: settlement.credits ? creditOf(order) : null,
  };
  return Array.from({ length: Math.ceil(uses.length / USES_AT_ONCE) }, (_, part) => ({
    ...base,
    uses: uses.slice(part * USES_AT_ONCE, (part + 1) * USES_AT_ONCE),
  }));
}

function creditOf({ transactionCode, amount, rate, message }: Order): OrderSettled['credit'] {
  return { transaction_code: transactionCode, ...encodeAmount(amount), rate, message };
}

function useOf({ used, credited }: OrderUse, deposit: OrderDeposit | undefined): OrderSettled['uses'][number] {
  if (deposit === undefined || deposit.arrived === null) throw new Error('a deposit that is settled is not final');
  return {
    deposit: encodeDeposit(deposit.arrived),
    used_minor: encodeMinor(used, deposit.received.currency),
    credited_minor: encodeMinor(credited),
    screening_hit: deposit.state === 'screened',
  };
}
