import { Inject, Injectable } from '@nestjs/common';
import type { Envelope, WebhookEvent } from '@vuka/contracts';
import { PermanentEventError } from '@vuka/messaging';
import { isOutage } from '@vuka/persistence';
import type { Clock, WakeSignal } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { type Change, DELIVERY_SIGNAL, DeliveryStore } from '../deliveries/index.js';

/** The consumer group, as in TOPICS.consumers. */
const CONSUMER_GROUP = 'notifier';

/** Events the event bus hands over at the same time; also the most that one commit takes in. */
export const EVENTS_AT_ONCE = 128;

/** The changes partners are told of; a final one is told whatever comes after it (decisions.md section 6). */
const PUBLIC_EVENTS = {
  'transaction.processing': { isFinal: false },
  'transaction.complete': { isFinal: true },
  'transaction.failed': { isFinal: true },
  'transaction.reversed': { isFinal: true },
  'transaction.held': { isFinal: false },
  // The status is final already; that it was paid all the same is told once, whatever comes after it.
  'transaction.corrected': { isFinal: true },
  'order.processing': { isFinal: false },
  'order.complete': { isFinal: true },
  'order.failed': { isFinal: true },
  'refund.held': { isFinal: false },
  'refund.sent': { isFinal: false },
  'refund.confirmed': { isFinal: true },
  'refund.failed': { isFinal: true },
} as const satisfies Partial<Record<WebhookEvent, { isFinal: boolean }>>;

export type OrderEventType = Extract<keyof typeof PUBLIC_EVENTS, `order.${string}`>;
export type TransactionEventType = Extract<keyof typeof PUBLIC_EVENTS, `transaction.${string}`>;
/** Events that something is told by. */
export type PublicEventType = OrderEventType | TransactionEventType | 'refund-status.changed';

interface Waiting {
  readonly change: Change;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Turns a transaction's, an order's or a refund's change into a webhook to deliver, in the commit that marks the event as handled. An event told
 * again changes nothing. Where nobody asked to be told (callback_url null) the mark is all there is.
 *
 * Changes that come while a commit is under way share the next one: a commit per event would cost more than its webhook.
 */
@Injectable()
export class RecordPublicChange {
  private waiting: Waiting[] = [];
  private isRecording = false;

  constructor(
    private readonly deliveries: DeliveryStore,
    @Inject(DELIVERY_SIGNAL) private readonly dueDeliveries: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
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
      await this.deliveries.recordChanges(
        CONSUMER_GROUP,
        batch.map(({ change }) => change),
        this.clock.now(),
      );
    } catch (error) {
      if (batch.length === 1 || isOutage(error)) for (const { reject } of batch) reject(error);
      else for (const one of batch) await this.record([one]);
      return;
    }
    for (const { resolve } of batch) resolve();
    this.dueDeliveries.notify();
  }
}

type Told = Pick<Change, 'transactionId' | 'code' | 'isOrder'> & { readonly eventType: keyof typeof PUBLIC_EVENTS };

/** What it tells of. Refunds and orders have numbers of one series with transactions: an order has that of the transaction which credits it, told by its order's webhooks only. */
function toldBy(event: Envelope<PublicEventType>): Told {
  const { data, type } = event;
  if ('told' in data) {
    const { refund_of_order_id: orderId, refund_of_transaction_code: transactionCode } = data.payload;
    return {
      eventType: data.told,
      transactionId: data.refund_id,
      code: orderId ?? transactionCode ?? '',
      isOrder: orderId !== undefined,
    };
  }
  const eventType = type as OrderEventType | TransactionEventType;
  if ('order_number' in data)
    return { eventType, transactionId: data.order_number, code: data.payload.order_id, isOrder: true };
  return { eventType, transactionId: data.transaction_id, code: data.payload.transaction_code, isOrder: false };
}

function changeOf(event: Envelope<PublicEventType>): Change {
  const { data } = event;
  if (data.callback_url !== null && !URL.canParse(data.callback_url)) {
    throw new PermanentEventError('callback_url: must be an absolute URL');
  }
  const told = toldBy(event);
  return {
    eventId: event.id,
    occurredAt: new Date(event.occurredAt),
    ...told,
    sequence: data.public_sequence,
    partnerId: data.partner_id,
    isFinal: PUBLIC_EVENTS[told.eventType].isFinal,
    callbackUrl: data.callback_url,
    host: data.callback_url === null ? null : new URL(data.callback_url).host,
    traceparent: event.causationId,
    // Written once, here: every attempt signs and sends this text.
    body: JSON.stringify(data.payload),
  };
}
