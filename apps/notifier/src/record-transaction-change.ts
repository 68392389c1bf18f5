import type { Envelope } from '@vuka/contracts';
import { PermanentEventError, onceByInbox } from '@vuka/messaging';
import type { Database } from '@vuka/persistence';
import type { Clock, WakeSignal } from '@vuka/platform';

import type { DeliveryStore, NewDelivery } from './store/delivery.store.js';

/** The consumer group, as in TOPICS.consumers. */
export const CONSUMER_GROUP = 'notifier';

/** The changes partners are told of; a final one is told whatever comes after it (decisions.md section 6). */
const TRANSACTION_EVENTS = {
  'transaction.processing': { isFinal: false },
  'transaction.complete': { isFinal: true },
  'transaction.failed': { isFinal: true },
  'transaction.reversed': { isFinal: true },
} as const satisfies Partial<Record<Envelope['type'], { isFinal: boolean }>>;

export type TransactionEventType = keyof typeof TRANSACTION_EVENTS;

/**
 * Turns a transaction's change into a webhook to deliver, in the commit that marks the event as handled. An event told
 * again changes nothing. Where nobody asked to be told (callback_url null) the mark is all there is.
 */
export class RecordTransactionChange {
  public constructor(
    private readonly db: Database,
    private readonly deliveries: DeliveryStore,
    private readonly dueDeliveries: WakeSignal,
    private readonly clock: Clock,
  ) {}

  public async run(event: Envelope<TransactionEventType>): Promise<void> {
    const delivery = deliveryOf(event);
    await onceByInbox(this.db, CONSUMER_GROUP, event, async (tx) => {
      if (delivery !== null) await this.deliveries.insert(tx, delivery, this.clock.now());
    });
    if (delivery !== null) this.dueDeliveries.notify();
  }
}

function deliveryOf(event: Envelope<TransactionEventType>): NewDelivery | null {
  const { data } = event;
  if (data.callback_url === null) return null;
  if (!URL.canParse(data.callback_url)) throw new PermanentEventError('callback_url: must be an absolute URL');
  return {
    transactionId: data.transaction_id,
    sequence: data.public_sequence,
    occurredAt: new Date(event.occurredAt),
    partnerId: data.partner_id,
    eventType: event.type,
    isFinal: TRANSACTION_EVENTS[event.type].isFinal,
    callbackUrl: data.callback_url,
    host: new URL(data.callback_url).host,
    // Written once, here: every attempt signs and sends this text.
    body: JSON.stringify(data.payload),
  };
}
