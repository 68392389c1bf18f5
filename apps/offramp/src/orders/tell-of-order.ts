import type { Envelope } from '@vuka/contracts';
import { appendToOutbox, newEnvelope } from '@vuka/messaging';
import type { Transaction } from '@vuka/persistence';

import { OrderWatchStore, type OrderToTell } from '../store/order-watch.store.js';

type OrderEvent = 'order-deposit.seen' | 'order-deposit.confirmed' | 'order-deposit.gone' | 'order-deposit.reverted';
/** Without what the order says of itself. */
type Said<T extends OrderEvent> = Omit<Envelope<T>['data'], 'order_number' | 'partner_id'>;

/** Tells something of an order in this commit; its row stays locked until then, so that what is told of one order has the order of its commits. */
export async function tellOfOrder<T extends OrderEvent>(tx: Transaction, orderNumber: number, type: T, say: (order: OrderToTell) => Said<T>, occurredAt: Date): Promise<void> {
  const order = await OrderWatchStore.lockToTell(tx, orderNumber);
  const { partnerId, sequence, correlationId, causationId } = order;
  const data = { order_number: orderNumber, partner_id: partnerId, ...say(order) } as Envelope<T>['data'];
  await appendToOutbox(tx, [newEnvelope({ type, key: String(orderNumber), sequence, occurredAt, correlationId, causationId, producer: 'offramp', data })]);
  await OrderWatchStore.told(tx, orderNumber, sequence);
}
