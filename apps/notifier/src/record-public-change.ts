import type { Envelope } from '@vuka/contracts';
import { PermanentEventError } from '@vuka/messaging';
import { isOutage } from '@vuka/persistence';
import type { Clock, WakeSignal } from '@vuka/platform';

import type { Change, DeliveryStore } from './store/delivery.store.js';

/** The consumer group, as in TOPICS.consumers. */
export const CONSUMER_GROUP = 'notifier';

/** Events the wire hands over at the same time; also the most that one commit takes in. */
export const EVENTS_AT_ONCE = 128;

/** The changes partners are told of; a final one is told whatever comes after it (decisions.md section 6). */
const PUBLIC_EVENTS = {
  'transaction.processing': { isFinal: false },
  'transaction.complete': { isFinal: true },
  'transaction.failed': { isFinal: true },
  'transaction.reversed': { isFinal: true },
  'order.processing': { isFinal: false },
  'order.complete': { isFinal: true },
  'order.failed': { isFinal: true },
} as const satisfies Partial<Record<Envelope['type'], { isFinal: boolean }>>;

export type PublicEventType = keyof typeof PUBLIC_EVENTS;
export type OrderEventType = Extract<PublicEventType, `order.${string}`>;
export type TransactionEventType = Exclude<PublicEventType, OrderEventType>;

interface Waiting {
  readonly change: Change;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Turns a transaction's or an order's change into a webhook to deliver, in the commit that marks the event as handled. An event told
 * again changes nothing. Where nobody asked to be told (callback_url null) the mark is all there is.
 *
 * Changes that come while a commit is under way share the next one: a commit per event would cost more than its webhook.
 */
export class RecordPublicChange {
  private waiting: Waiting[] = [];
  private isRecording = false;

  public constructor(
    private readonly deliveries: DeliveryStore,
    private readonly dueDeliveries: WakeSignal,
    private readonly clock: Clock,
  ) {}

  /** Resolves when the change is durable. Throws PermanentEventError where no webhook can ever come of it. */
  public async run(event: Envelope<PublicEventType>): Promise<void> {
    const change = changeOf(event);
    await new Promise<void>((resolve, reject) => {
      this.waiting.push({ change, resolve, reject });
      if (!this.isRecording) void this.recordWaiting();
    });
  }

  private async recordWaiting(): Promise<void> {
    this.isRecording = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, EVENTS_AT_ONCE);
      this.waiting = this.waiting.slice(EVENTS_AT_ONCE);
      await this.record(batch);
    }
    this.isRecording = false;
  }

  /**
   * Settles every promise of the batch and throws nothing. One bad event does not take its neighbours down; in an outage
   * none of them is to blame, and asking for each would only make them all wait.
   */
  private async record(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.deliveries.recordChanges(CONSUMER_GROUP, batch.map(({ change }) => change), this.clock.now());
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) for (const { reject } of batch) reject(error);
      else for (const one of batch) await this.record([one]);
      return;
    }
    for (const { resolve } of batch) resolve();
    this.dueDeliveries.notify();
  }
}

function changeOf(event: Envelope<PublicEventType>): Change {
  const { data } = event;
  if (data.callback_url !== null && !URL.canParse(data.callback_url)) {
    throw new PermanentEventError('callback_url: must be an absolute URL');
  }
  return {
    eventId: event.id,
    occurredAt: new Date(event.occurredAt),
    // An order has the number of the transaction that credits it, which is told by its order's webhooks only.
    transactionId: 'order_number' in data ? data.order_number : data.transaction_id,
    sequence: data.public_sequence,
    partnerId: data.partner_id,
    eventType: event.type,
    isFinal: PUBLIC_EVENTS[event.type].isFinal,
    callbackUrl: data.callback_url,
    host: data.callback_url === null ? null : new URL(data.callback_url).host,
    traceparent: event.causationId,
    // Written once, here: every attempt signs and sends this text.
    body: JSON.stringify(data.payload),
    code: 'order_id' in data.payload ? data.payload.order_id : data.payload.transaction_code,
  };
}
