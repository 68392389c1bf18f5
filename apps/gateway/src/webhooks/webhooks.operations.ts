import { deliveryView, webhookEvent } from '@vuka/contracts';
import { objectSchema } from '@vuka/domain';
import { z } from 'zod';

import {
  type AnswerSchemas,
  id,
  idParameter,
  instant,
  lastDays,
  logBody,
  type Operations,
  type RequestBody,
} from '../operations/index.js';
import { DELIVERY_LIST_FIELDS } from './list-deliveries.js';
import { RESEND_FIELDS } from './resend-deliveries.js';
import { DEFAULT_WEBHOOK_FIELDS } from './set-default-webhook.js';

const webhookEndpoint = z.object({ url: z.string().nullable().describe('Null: none') });

const deliveryFields = deliveryView.shape;

/** Adds descriptions to the contract's row. */
const delivery = deliveryView.extend({
  id: id.describe('In the log'),
  webhook_id: deliveryFields.webhook_id
    .describe('The header `webhook-id`, the same of every attempt')
    .meta({ examples: ['4503599627370496_2'] }),
  event: webhookEvent.describe('The header `x-vuka-event`'),
  sequence: deliveryFields.sequence.describe(
    'The header `x-vuka-sequence`: counts what you are told of one transaction, order or refund',
  ),
  transaction_code: deliveryFields.transaction_code.describe('Of a refund, what it is of; `""` where that is an order'),
  order_id: deliveryFields.order_id.describe('Of a refund, what it is of; `""` where that is no order'),
  url: deliveryFields.url.describe('Where it goes: fixed when the transaction or the order was made'),
  state: deliveryFields.state.describe(
    'pending: due, or to be tried again. failed: given up after the last retry. superseded: a newer one overtook it. ended: the URL has answered 410 to this transaction, order or refund',
  ),
  last_status: deliveryFields.last_status.describe('HTTP status of the last attempt; null where there was no answer'),
  last_error: deliveryFields.last_error.describe('Why the last attempt had no answer; null where it had one'),
  created_at: instant,
  next_attempt_at: z.iso.datetime().nullable().describe('Null at rest'),
  settled_at: z.iso.datetime().nullable().describe('When it came to rest; null before'),
  payload: z.record(z.string(), z.unknown()).nullable().describe('The body; null once it has expired'),
  log: deliveryFields.log.describe('The last attempts, oldest first'),
});

const resentDeliveries = z.object({
  resent: z.int().min(0).describe('How many are due now'),
  more: z.boolean().describe('There may be others'),
  cursor: z.string().nullable().describe('Send it as `cursor` for those; null where there are no more'),
});

export const WEBHOOK_ANSWERS = {
  WebhookEndpoint: webhookEndpoint,
  Delivery: delivery,
  ResentDeliveries: resentDeliveries,
} as const satisfies AnswerSchemas;

const ENDPOINT_BODY: RequestBody = {
  schema: objectSchema(DEFAULT_WEBHOOK_FIELDS),
  examples: {
    set: { summary: 'Tell us there', value: { url: 'https://example.com/hooks/vuka' } },
    clear: { summary: 'Tell us nowhere', value: { url: null } },
  },
};

export const WEBHOOK_OPERATIONS = {
  webhookEndpoint: {
    method: 'POST',
    paths: ['/v1/webhooks/endpoint'],
    key: 'consumer',
    scope: 'webhooks',
    money: false,
    offer: null,
    document: {
      tag: 'Webhooks',
      ids: ['setWebhookEndpoint'],
      summary: 'Set the default URL',
      description:
        'Where you are told of orders, and of transactions that have no `callback_url` of their own: those made from now on, within some 5 s everywhere. An order or a transaction keeps the URL that it was made with. `null` clears it. ' +
        'https outside the sandbox, and never a private address; kept byte for byte.',
      message: 'The default webhook URL',
      answer: 'WebhookEndpoint',
      body: () => ENDPOINT_BODY,
      errors: ['invalid_callback_url'],
    },
  },
  webhookTest: {
    method: 'POST',
    paths: ['/v1/webhooks/test'],
    key: 'consumer',
    scope: 'webhooks',
    money: false,
    offer: null,
    notWhileSuspended: true,
    document: {
      tag: 'Webhooks',
      ids: ['testWebhook'],
      summary: 'Send a test webhook',
      description:
        'Has a signed `webhook.test` sent to your default URL, once, with no retries: `{"status": "TEST", "transaction_code": "test-…", "message": "…"}`. The answer is its row of the log, which is `pending` at first; ask for `deliveries` with its `transaction_code` for what came of it. ' +
        'A 400 where you have no default URL, a 429 where you have sent ten within a minute.',
      message: 'The test webhook is due',
      answer: 'Delivery',
    },
  },
  webhookDeliveries: {
    method: 'POST',
    paths: ['/v1/webhooks/deliveries'],
    key: 'consumer',
    scope: 'webhooks',
    money: false,
    offer: null,
    document: {
      tag: 'Webhooks',
      ids: ['listDeliveries'],
      summary: 'Log of webhooks',
      description:
        'What you were told, newest first, with every attempt: of the days from `start_date` to `end_date` where they are sent (UTC, both included), by when it was first due. Where there are more than `limit`, `next_cursor` is not null: send it as `cursor`, with all else the same. ' +
        'What takes too long to look through is a 503: ask for fewer days.',
      message: 'The deliveries',
      answer: ['Delivery'],
      body: ({ today }) => logBody(DELIVERY_LIST_FIELDS, lastDays(today)),
    },
  },
  webhookResend: {
    method: 'POST',
    paths: ['/v1/webhooks/deliveries/:id/resend'],
    key: 'consumer',
    scope: 'webhooks',
    money: false,
    offer: null,
    notWhileSuspended: true,
    document: {
      tag: 'Webhooks',
      ids: ['resendDelivery'],
      summary: 'Send a webhook again',
      description:
        'Has it sent now, to the URL that it had, with the same `webhook-id` and body; its retries begin anew. One that is being sent, or is due within 10 s, goes on as it is. A 404 where it is none of yours, where what it told has expired, or where it was sent a thousand times, and `message` says which.',
      message: 'The delivery is due',
      answer: 'Delivery',
      parameters: { id: idParameter('A delivery’s `id` in the log') },
    },
  },
  webhookResendMany: {
    method: 'POST',
    paths: ['/v1/webhooks/deliveries/resend'],
    key: 'consumer',
    scope: 'webhooks',
    money: false,
    offer: null,
    notWhileSuspended: true,
    document: {
      tag: 'Webhooks',
      ids: ['resendDeliveries'],
      summary: 'Send many webhooks again',
      description:
        'All that were given up, or those of a `state`, of an event or of some days: up to 1,000 with one request, oldest first. Where `more` is true there may be others: send `cursor`, with all else the same. What has expired is left out, as are tests. A 429 while another such request of yours is under way.',
      message: 'The deliveries are due',
      answer: 'ResentDeliveries',
      body: ({ today }) => logBody(RESEND_FIELDS, lastDays(today)),
    },
  },
} as const satisfies Operations;
