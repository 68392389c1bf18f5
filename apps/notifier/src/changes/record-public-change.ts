import { Inject, Injectable } from '@nestjs/common';
import type { Envelope, WebhookEvent } from '@vuka/contracts';
import { PermanentEventError } from '@vuka/messaging';
import { isOutage } from '@vuka/persistence';
import type { Clock, Logger, WakeSignal } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { type Change, DELIVERY_SIGNAL, DeliveryStore } from '../deliveries/index.js';
import { DeliveryVault } from '../secrets/index.js';

/** As in TOPICS.consumers. */
const CONSUMER_GROUP = 'notifier';

/** Parallel events, and the most of one commit. */
export const EVENTS_AT_ONCE = 128;

/** Final ones are always sent (decisions.md section 6). */
const PUBLIC_EVENTS = {
  'transaction.processing': { isFinal: false },
  'transaction.complete': { isFinal: true },
  'transaction.failed': { isFinal: true },
  'transaction.reversed': { isFinal: true },
  'transaction.held': { isFinal: false },
  // The status is final already; the late payment is always reported.
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
export type PublicEventType = OrderEventType | TransactionEventType | 'refund-status.changed';

interface Waiting {
  readonly change: Change;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Stores a webhook in the commit of the event's mark, so a repeated event changes nothing. With callback_url null
 * only the mark is stored. Changes that arrive during a commit share the next one, because a commit costs more than a
 * webhook.
 */
@Injectable()
export class RecordPublicChange {
  private waiting: Waiting[] = [];
  private isRecording = false;

  constructor(
    private readonly deliveries: DeliveryStore,
    private readonly vault: DeliveryVault,
    @Inject(DELIVERY_SIGNAL) private readonly dueDeliveries: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Resolves when stored. Throws PermanentEventError if no webhook is possible. */
  public async run(event: Envelope<PublicEventType>): Promise<void> {
    const change = changeOf(event, this.vault, () =>
      this.log.warn(
        { event_id: event.id },
        'the name in an event was sealed by a key that is gone: it is told without',
      ),
    );
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
   * Never throws; settles all promises. After a failed batch each event is tried alone, so a bad one fails alone. Not
   * in an outage, where all would only wait.
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

/**
 * Transactions, orders and refunds share one number series. An order has the number of its crediting transaction,
 * which itself has no webhooks.
 */
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

function changeOf(event: Envelope<PublicEventType>, vault: DeliveryVault, nameless: () => void): Change {
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
    // Fixed here: every attempt signs and sends this text.
    body: vault.sealBody({ ...told, sequence: data.public_sequence }, JSON.stringify(payloadOf(data, vault, nameless))),
  };
}

/**
 * Only events of transactions name somebody, sealed. A whole outbox may be published again (docs/operators/kafka.md):
 * its oldest events were sealed by keys that have gone, and were handled long ago.
 */
function payloadOf(data: Envelope<PublicEventType>['data'], vault: DeliveryVault, nameless: () => void): object {
  if (!('transaction_id' in data) || data.payload.public_name === undefined) return data.payload;
  const { public_name: sealed, ...payload } = data.payload;
  try {
    return { ...data.payload, public_name: vault.openName(data.transaction_id, sealed) };
  } catch {
    nameless();
    return payload;
  }
}
