import { orderCallback, refundCallback, transactionCallback, webhookEvent, type WebhookEvent } from '@vuka/contracts';
import { z } from 'zod';

import { type JsonSchema, refTo } from '../operations/index.js';

const testCallback = z.object({ status: z.literal('TEST'), transaction_code: z.string(), message: z.string() });

const BODIES = {
  TransactionCallback: transactionCallback,
  OrderCallback: orderCallback,
  RefundCallback: refundCallback,
  TestCallback: testCallback,
} as const;
type BodyName = keyof typeof BODIES;

interface Shown {
  readonly summary: string;
  readonly body: BodyName;
  readonly example: object;
}

const payment = { transaction_code: 'payroll-2026-11-0042' } as const;
const refund = {
  refund_id: 4_503_599_627_370_497,
  chain: 'CELO',
  asset: 'USDC',
  amount: '11.596444',
  address: '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B',
  transaction_hash: `0x${'d1'.repeat(32)}`,
  refund_of_transaction_code: payment.transaction_code,
} as const;
const REFUND_HASH = `0x${'e2'.repeat(32)}`;
const ended = { ...payment, receipt_number: 'QK7X2M', public_name: 'TEST 7890' } as const;
const failed = {
  status: 'FAILED',
  ...payment,
  message: 'The payment rail refused the payment. The money was not sent.',
  failure_code: 'rail_rejected',
} as const;

const SHOWN: Readonly<Record<WebhookEvent, Shown>> = {
  'transaction.processing': {
    summary: 'A transaction is under way',
    body: 'TransactionCallback',
    example: { status: 'PROCESSING', ...payment, message: 'The payment is being sent' },
  },
  'transaction.complete': {
    summary: 'A transaction was delivered',
    body: 'TransactionCallback',
    example: { status: 'COMPLETE', ...ended, message: 'The payment was delivered' },
  },
  'transaction.failed': { summary: 'A transaction failed', body: 'TransactionCallback', example: failed },
  'transaction.reversed': {
    summary: 'A payment came back',
    body: 'TransactionCallback',
    example: {
      status: 'REVERSED',
      ...ended,
      message: 'The payment came back after it was delivered; the money is in the wallet again',
    },
  },
  'transaction.held': {
    summary: 'A pay waits for people',
    body: 'TransactionCallback',
    example: { status: 'PROCESSING', ...payment, message: 'The payment is being reviewed' },
  },
  'transaction.corrected': {
    summary: 'A transaction that had failed, or had come back, was paid after all: its status stays',
    body: 'TransactionCallback',
    example: {
      ...failed,
      message:
        'The payment was made after all: the recipient has the money, and what was paid is taken from the wallet',
      correction: {
        reason: 'paid_after_failure',
        receipt_number: 'QK7X2M',
        amount: '1500.00',
        at: '2026-11-21T12:00:00.000Z',
      },
    },
  },
  'refund.held': {
    summary: 'A refund was accepted',
    body: 'RefundCallback',
    example: {
      ...refund,
      status: 'PENDING',
      refund_transaction_hash: '',
      message: 'The refund was accepted, and waits to be sent',
    },
  },
  'refund.sent': {
    summary: 'A refund was given to its chain',
    body: 'RefundCallback',
    example: {
      ...refund,
      status: 'PROCESSING',
      refund_transaction_hash: REFUND_HASH,
      message: 'The refund was given to the chain',
    },
  },
  'refund.confirmed': {
    summary: 'A refund is final',
    body: 'RefundCallback',
    example: {
      ...refund,
      status: 'COMPLETE',
      refund_transaction_hash: REFUND_HASH,
      message: 'The refund is final on the chain',
    },
  },
  'refund.failed': {
    summary: 'A refund was not sent',
    body: 'RefundCallback',
    example: {
      ...refund,
      status: 'FAILED',
      refund_transaction_hash: '',
      message: 'The refund was not sent: the chain refuses its address',
      reason: 'address_refused',
    },
  },
  'order.processing': {
    summary: 'A transfer to an order was seen',
    body: 'OrderCallback',
    example: { status: 'PROCESSING', order_id: 'basket-7781', message: 'A payment was seen and is being confirmed' },
  },
  'order.complete': {
    summary: 'An order was paid',
    body: 'OrderCallback',
    example: { status: 'COMPLETE', order_id: 'basket-7781', message: 'The order was paid' },
  },
  'order.failed': {
    summary: 'An order was not paid',
    body: 'OrderCallback',
    example: { status: 'FAILED', order_id: 'basket-7781', message: 'Nothing arrived in time' },
  },
  'webhook.test': {
    summary: 'You asked for it: it is about no payment',
    body: 'TestCallback',
    example: {
      status: 'TEST',
      transaction_code: 'test-7000000000000000',
      message: 'A test of your webhook URL. It is about no payment',
    },
  },
};

const HEADERS: Readonly<Record<string, string>> = {
  'webhook-id': 'Names the webhook: the same on every attempt',
  'webhook-timestamp': 'Unix seconds of this attempt',
  'webhook-signature':
    '`v1,` and an HMAC-SHA256 over `webhook-id.webhook-timestamp.body`; two of them while your secret is rotated',
  'x-vuka-event': 'The name of the event. Answer one that you do not know with 2xx, and change nothing for it',
  'x-vuka-sequence': 'Counts what you are told of one transaction, order or refund, from 1',
};

/** Open objects: members may be added. */
export function webhookSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(BODIES).map(([name, schema]) => {
      const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' });
      return [name, rest];
    }),
  );
}

export function webhooksSent(): Record<string, JsonSchema> {
  return Object.fromEntries(
    webhookEvent.options.map((event) => {
      const { summary, body, example } = SHOWN[event];
      return [
        event,
        {
          post: {
            operationId: event.replace(/\.(\w)/, (_, letter: string) => letter.toUpperCase()),
            tags: ['Webhooks'],
            summary,
            security: [],
            parameters: Object.entries(HEADERS).map(([name, description]) => ({
              name,
              in: 'header',
              required: true,
              description,
              schema: name === 'x-vuka-event' ? { type: 'string', const: event } : { type: 'string' },
            })),
            requestBody: {
              required: true,
              content: { 'application/json': { schema: refTo('schemas', body), example } },
            },
            responses: { '2XX': { description: 'You have it. Anything else is tried again' } },
          },
        },
      ];
    }),
  );
}
