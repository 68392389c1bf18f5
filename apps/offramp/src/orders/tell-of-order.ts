import type { Envelope } from '@vuka/contracts';
import { appendToOutbox, newEnvelope } from '@vuka/messaging';
import type { Transaction } from '@vuka/persistence';

import { type OrderToTell, OrderWatchStore } from './order-watch.store.js';

type OrderEvent = 'order-deposit.seen' | 'order-deposit.confirmed' | 'order-deposit.gone' | 'order-deposit.reverted';
type Said<T extends OrderEvent> = Omit<Envelope<T>['data'], 'order_number' | 'partner_id'>;

/** At most one event per commit; the order must be locked (OrderWatchStore.lockToTell). */
export async function tellOfOrder<T extends OrderEvent>(
  tx: Transaction,
  order: OrderToTell,
  type: T,
  said: Said<T>,
  occurredAt: Date,
): Promise<void> {
  const { orderNumber, partnerId, sequence, correlationId, causationId } = order;
  const data = { order_number: orderNumber, partner_id: partnerId, ...said } as Envelope<T>['data'];
  await appendToOutbox(tx, [
    newEnvelope({
      type,
      key: String(orderNumber),
      sequence,
      occurredAt,
      correlationId,
      causationId,
      producer: 'offramp',
      data,
    }),
  ]);
  await OrderWatchStore.told(tx, orderNumber, sequence);
}
