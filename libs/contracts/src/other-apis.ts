import { z } from 'zod';

import { operation, type InternalApi } from './internal-api.js';
import { lookupDestination } from './destinations.js';

const partnerId = z.int().positive();

/** Clients parse either spelling of a name (decisions.md section 2, compat). */
export const bankRecord = z.object({
  Name: z.string(),
  Code: z.string(),
  name: z.string(),
  code: z.string(),
  currency: z.string(),
});
export type BankRecord = z.infer<typeof bankRecord>;

/** partial: some words are the same. partial_masked: the same, of a name of which the provider hides a part. */
export const nameMatch = z.enum(['exact', 'partial', 'partial_masked', 'none']);
export type NameMatch = z.infer<typeof nameMatch>;

export const resolvedName = z.object({
  /** FAILED: no such recipient. */
  status: z.enum(['COMPLETE', 'FAILED']),
  /** False: only the format was checked. */
  verified: z.boolean(),
  /** '' unless verified. */
  name: z.string(),
  /** null: no name was given. 'none' also if there is no resolved name. */
  name_match: nameMatch.nullable(),
  /** Of a phone number whose name cannot be told: which network it is probably of. Absent: not known. */
  likely_network: z.string().max(100).optional(),
});
export type ResolvedName = z.infer<typeof resolvedName>;

export const validationApi = {
  service: 'validation',
  operations: {
    resolveName: operation(
      z.object({
        partner_id: partnerId,
        currency: z.string().regex(/^[A-Z]{3}$/),
        destination: lookupDestination,
        account_name: z.string().max(200).nullable(),
      }),
      resolvedName,
      {
        summary: 'Tells whose name is on a destination',
        errors: {
          rate_limited: 'too many lookups of this destination',
          service_unavailable: 'no provider could be asked in time',
        },
        callers: ['gateway'],
        idempotent: true,
      },
    ),
    listBanks: operation(
      z.object({ currency: z.string().regex(/^[A-Z]{3}$/) }),
      z.object({ banks: z.array(bankRecord).max(1000) }),
      { summary: 'Lists the banks of a currency', errors: {}, callers: ['gateway'], idempotent: true },
    ),
  },
} as const satisfies InternalApi;

/** Values of the header `x-vuka-event`. */
export const webhookEvent = z.enum([
  'transaction.processing',
  'transaction.complete',
  'transaction.failed',
  'transaction.reversed',
  'transaction.held',
  'transaction.corrected',
  'refund.held',
  'refund.sent',
  'refund.confirmed',
  'refund.failed',
  'order.processing',
  'order.complete',
  'order.failed',
  'webhook.test',
]);
export type WebhookEvent = z.infer<typeof webhookEvent>;

/** failed: all retries are used up. ended: the receiver answered 410. */
export const deliveryState = z.enum(['pending', 'delivered', 'failed', 'superseded', 'ended']);
export type DeliveryState = z.infer<typeof deliveryState>;

export const deliveryView = z.object({
  id: z.int().positive(),
  webhook_id: z.string(),
  event: z.string(),
  sequence: z.int().positive(),
  /** '' for a refund of an order. */
  transaction_code: z.string(),
  /** '' for a refund without an order. */
  order_id: z.string(),
  url: z.string(),
  state: deliveryState,
  attempts: z.int().min(0),
  /** null: no answer, or no POST yet. */
  last_status: z.int().nullable(),
  last_error: z.string().nullable(),
  created_at: z.iso.datetime(),
  next_attempt_at: z.iso.datetime().nullable(),
  settled_at: z.iso.datetime().nullable(),
  /** null once it has expired. */
  payload: z.record(z.string(), z.unknown()).nullable(),
  /** Oldest first. */
  log: z
    .array(
      z.object({
        attempt: z.int().positive(),
        started_at: z.iso.datetime(),
        duration_ms: z.int().min(0),
        status: z.int().nullable(),
        error: z.string().nullable(),
      }),
    )
    .max(100),
});
export type DeliveryView = z.infer<typeof deliveryView>;

/** `from` inclusive, `before` exclusive. */
const deliveriesOfTime = {
  event: webhookEvent.nullable(),
  from: z.iso.datetime().nullable(),
  before: z.iso.datetime().nullable(),
  cursor: z.string().max(200).nullable(),
};

/** A secret is returned once over internal HTTP, never on a topic. */
export const notifierApi = {
  service: 'notifier',
  operations: {
    ensureWebhookSecret: operation(
      z.object({ partner_id: partnerId }),
      z.object({ secret: z.string().startsWith('whsec_') }),
      {
        summary:
          "Makes the partner's secret on the first call, the same one ever after: `whsec_` and base64 of 32 bytes",
        errors: {},
        callers: ['setup'],
        idempotent: true,
      },
    ),
    testWebhook: operation(z.object({ partner_id: partnerId, url: z.string().min(1).max(3_000) }), deliveryView, {
      summary: 'Has a signed `webhook.test` sent there, once',
      errors: {
        rate_limited: 'too many within a minute',
        service_unavailable: 'others were at the same webhooks for too long',
      },
      callers: ['gateway'],
      idempotent: false,
    }),
    listDeliveries: operation(
      z.object({
        partner_id: partnerId,
        state: deliveryState.nullable(),
        transaction_code: z.string().max(200).nullable(),
        order_id: z.string().max(200).nullable(),
        limit: z.int().min(1).max(100),
        ...deliveriesOfTime,
      }),
      z.object({ deliveries: z.array(deliveryView).max(100), next_cursor: z.string().nullable() }),
      {
        summary: 'Lists deliveries, newest first',
        errors: {
          invalid_request: 'the cursor is none of ours',
          service_unavailable: 'there is too much to look through',
        },
        callers: ['gateway'],
        idempotent: true,
      },
    ),
    resendDelivery: operation(z.object({ partner_id: partnerId, delivery_id: z.int().positive() }), deliveryView, {
      summary: 'Makes one delivery due again, under its own webhook-id',
      errors: {
        not_found: 'the partner has none, its body has expired, or it was sent very many times',
        service_unavailable: 'others were at the same webhooks for too long',
      },
      callers: ['gateway'],
      idempotent: false,
    }),
    resendDeliveries: operation(
      z.object({ partner_id: partnerId, state: deliveryState.exclude(['pending']), ...deliveriesOfTime }),
      z.object({ resent: z.int().min(0), next_cursor: z.string().nullable() }),
      {
        summary:
          'Makes as many deliveries due again as one call takes, oldest first; `next_cursor` goes on behind them',
        errors: {
          invalid_request: 'the cursor is none of ours',
          rate_limited: 'another request of the partner is under way',
          service_unavailable: 'there is too much to look through',
        },
        callers: ['gateway'],
        idempotent: false,
      },
    ),
  },
} as const satisfies InternalApi;

/** decisions.md section 2, checkout and order status. */
export const orderView = z.object({
  order_number: z.int().positive(),
  order_id: z.string().min(1).max(100),
  status: z.enum(['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED']),
  reason: z.enum(['', 'expired', 'underpaid', 'overpaid', 'late', 'wrong_asset', 'wrong_network']),
  message: z.string(),
  network: z.string(),
  asset: z.string(),
  /** Contract, mint or issuer. */
  token: z.string(),
  decimals: z.int().min(0).max(18),
  currency: z.string().regex(/^[A-Z]{3}$/),
  amount_minor: z.string().regex(/^\d{1,38}$/),
  usd_cents: z.string().regex(/^\d{1,38}$/),
  rate: z.string(),
  /** Arrived counts deposits that are not final. */
  due_minor: z.string().regex(/^\d{1,38}$/),
  received_minor: z.string().regex(/^\d{1,38}$/),
  address: z.string(),
  memo_address: z.string(),
  memo: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  /** The newest transfer. */
  transaction_hash: z.string().nullable(),
  /** Access to this order's page only. */
  page_token: z.string().regex(/^[A-Za-z0-9_-]{20,64}$/),
});
export type OrderView = z.infer<typeof orderView>;

const partnersOrderId = z.string().regex(/^[A-Za-z0-9._:-]{1,100}$/);

export const checkoutApi = {
  service: 'checkout',
  operations: {
    createOrder: operation(
      z.object({
        partner_id: partnerId,
        order_id: partnersOrderId,
        network: z.string().min(1).max(20),
        asset: z.string().min(1).max(20),
        currency: z.string().regex(/^[A-Z]{3}$/),
        amount_minor: z.string().regex(/^\d{1,38}$/),
        callback_url: z.string().nullable(),
      }),
      z.object({ order: orderView, replayed: z.boolean() }),
      {
        summary: 'Makes an order, or tells the one that the same request has made before',
        errors: {
          reference_reused: "the order_id is another order's",
          rate_limited: 'too many are open or were made within 24 hours, or the open ones would be worth too much',
          unsupported_network: "as offramp's reserveOrder",
          rate_stale: "as offramp's reserveOrder",
          service_unavailable: "as offramp's reserveOrder; or it could not be kept in time",
        },
        callers: ['gateway'],
        idempotent: true,
        commits: true,
      },
    ),
    orderStatus: operation(z.object({ partner_id: partnerId, order_id: partnersOrderId }), orderView, {
      summary: 'Reads one order for its partner',
      errors: { not_found: 'the partner has no such order' },
      callers: ['gateway'],
      idempotent: true,
    }),
    orderByToken: operation(z.object({ page_token: z.string().regex(/^[A-Za-z0-9_-]{20,64}$/) }), orderView, {
      summary: 'Reads one order for the page of its payer',
      errors: { not_found: 'there is no such page' },
      callers: ['gateway'],
      idempotent: true,
    }),
  },
} as const satisfies InternalApi;

export const gatewayApi = {
  service: 'gateway',
  operations: {
    ensureSandboxPartner: operation(
      z.object({
        name: z.string().min(1).max(100),
        email: z.string().max(200),
        consumer_key: z.string(),
        checkout_key: z.string(),
      }),
      z.object({ partner_id: partnerId }),
      {
        summary: 'Makes a sandbox partner on the first call by name, with the keys given, stored as keyed hashes',
        errors: { forbidden: 'this is not the sandbox', invalid_request: 'a key has not the form of its kind' },
        callers: ['setup'],
        idempotent: true,
      },
    ),
  },
} as const satisfies InternalApi;
