import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import {
  EVENTS,
  type Envelope,
  type OrderCallback,
  type RefundCallback,
  type RefundTold,
  type TransactionCallback,
} from '@vuka/contracts';
import type { Wake } from '@vuka/jobs';
import type { Subscription, EventBus } from '@vuka/messaging';
import { borrowDatabase, type TestDatabase } from '@vuka/persistence/test-postgres';
import { Cipher, ManualClock, uuidv7, WebhookCipher } from '@vuka/runtime';

import type { OrderEventType, TransactionEventType } from '../changes/record-public-change.js';
import { NOTIFIER_MIGRATIONS } from '../store/migrations.js';

export type { TestDatabase };

/** Notifier's tables, and empty schemas of its producers. */
export const startTestDatabase = (): Promise<TestDatabase> =>
  borrowDatabase([{ name: 'notifier', migrations: NOTIFIER_MIGRATIONS }, { name: 'payments' }, { name: 'checkout' }]);

/** Delivers on request; the promise is the handler's. */
export class HandEventBus implements Pick<EventBus, 'subscribe' | 'start' | 'stop'> {
  private subscription: Subscription | undefined;

  public subscribe(subscription: Subscription): () => Promise<void> {
    this.subscription = subscription;
    return async () => undefined;
  }

  public async start(): Promise<void> {}

  public async stop(): Promise<void> {}

  public async deliver(event: Envelope): Promise<void> {
    if (this.subscription === undefined) throw new Error('nobody subscribed');
    await this.subscription.handle(event);
  }
}

/** Wakes on request. */
export class HandJobs {
  public readonly asked: Date[] = [];
  private readonly wakes = new Map<string, Wake>();

  public every(queue: string, wake: Wake): void {
    this.wakes.set(queue, wake);
  }

  public async wakeAt(_queue: string, at: Date): Promise<void> {
    this.asked.push(at);
  }

  public async wake(queue: string): Promise<void> {
    await this.wakes.get(queue)?.('tick');
  }
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (received: Received, response: ServerResponse) => void;

/** A real HTTP server that records requests and answers as set. */
export class Receiver {
  public readonly received: Received[] = [];
  public answer: Answer = (_, response) => response.end();

  private constructor(private readonly server: Server) {}

  public static async start(answer?: Answer): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    if (answer !== undefined) receiver.answer = answer;
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const received = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
        receiver.received.push(received);
        receiver.answer(received, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  public get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  public async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(code, headers).end();

const PUBLIC_STATUS: Record<TransactionEventType, TransactionCallback['status']> = {
  'transaction.processing': 'PROCESSING',
  'transaction.complete': 'COMPLETE',
  'transaction.failed': 'FAILED',
  'transaction.reversed': 'REVERSED',
  'transaction.held': 'PROCESSING',
  'transaction.corrected': 'FAILED',
};

export interface EventFacts {
  readonly type: TransactionEventType;
  readonly transactionId: number;
  readonly sequence: number;
  readonly url: string | null;
  readonly occurredAt: Date;
  readonly partnerId?: number;
}

export function transactionEvent(facts: EventFacts): Envelope<TransactionEventType> {
  return {
    id: uuidv7(),
    type: facts.type,
    version: EVENTS[facts.type].version,
    key: String(facts.transactionId),
    sequence: facts.sequence,
    occurredAt: facts.occurredAt.toISOString(),
    correlationId: 'request-1',
    causationId: 'request-1',
    producer: 'payments',
    data: {
      transaction_id: facts.transactionId,
      partner_id: facts.partnerId ?? 1,
      callback_url: facts.url,
      public_sequence: facts.sequence,
      payload: {
        status: PUBLIC_STATUS[facts.type],
        transaction_code: `order-${facts.transactionId}`,
        message: 'naïve – état',
      },
    },
  };
}

const ORDER_STATUS: Record<OrderEventType, OrderCallback['status']> = {
  'order.processing': 'PROCESSING',
  'order.complete': 'COMPLETE',
  'order.failed': 'FAILED',
};

/** `transactionId` is the order's number. */
export function orderEvent(
  facts: Omit<EventFacts, 'type'> & { readonly type: OrderEventType },
): Envelope<OrderEventType> {
  return {
    id: uuidv7(),
    type: facts.type,
    version: EVENTS[facts.type].version,
    key: String(facts.transactionId),
    sequence: facts.sequence,
    occurredAt: facts.occurredAt.toISOString(),
    correlationId: 'request-1',
    causationId: 'request-1',
    producer: 'checkout',
    data: {
      order_number: facts.transactionId,
      partner_id: facts.partnerId ?? 1,
      callback_url: facts.url,
      public_sequence: facts.sequence,
      payload: { status: ORDER_STATUS[facts.type], order_id: `order-${facts.transactionId}`, message: 'naïve – état' },
    },
  };
}

const REFUND_STATUS: Record<RefundTold, RefundCallback['status']> = {
  'refund.held': 'PENDING',
  'refund.sent': 'PROCESSING',
  'refund.confirmed': 'COMPLETE',
  'refund.failed': 'FAILED',
};

/** `transactionId` is the refund's number. */
export function refundEvent(
  facts: Omit<EventFacts, 'type'> & {
    readonly told: RefundTold;
    readonly of: Pick<RefundCallback, 'refund_of_transaction_code' | 'refund_of_order_id'>;
  },
): Envelope<'refund-status.changed'> {
  const { transactionId, sequence, told } = facts;
  return {
    id: uuidv7(),
    type: 'refund-status.changed',
    version: 1,
    key: String(transactionId),
    sequence,
    occurredAt: facts.occurredAt.toISOString(),
    correlationId: 'request-1',
    causationId: 'request-1',
    producer: 'payments',
    data: {
      refund_id: transactionId,
      partner_id: facts.partnerId ?? 1,
      callback_url: facts.url,
      public_sequence: sequence,
      told,
      payload: {
        refund_id: transactionId,
        status: REFUND_STATUS[told],
        chain: 'CELO',
        asset: 'USDC',
        amount: '1.000000',
        address: '0xb0',
        transaction_hash: '0xd0',
        refund_transaction_hash: '',
        ...facts.of,
        message: 'naïve – état',
      },
    },
  };
}

export const testCipher = new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]);
/** As of testContext(). */
export const testWebhookCipher = new WebhookCipher([{ id: 'w1', key: Buffer.alloc(32, 5) }]);

/** Real time, so that the public package accepts the timestamps. */
export function testClock(): ManualClock {
  return new ManualClock(new Date());
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
