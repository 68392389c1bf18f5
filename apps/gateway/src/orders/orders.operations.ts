import {
  acceptedTokens,
  chainNamed,
  DEFAULT_CHAIN,
  DEFAULT_CURRENCY,
  objectSchema,
  ORDER_STATUS_FIELDS,
  orderFields,
  type Currencies,
  type Currency,
} from '@vuka/domain';

import { type JsonSchema, type Operations, type RequestBody } from '../operations/index.js';

/** Of the order that the examples make and ask for. */
const EXAMPLE_ORDER_ID = 'docs-order';

const [{ symbol: EXAMPLE_ASSET = '' } = {}] = acceptedTokens(chainNamed(DEFAULT_CHAIN) ?? { tokens: [] });

const ORDER_EXAMPLE: Readonly<Record<string, string>> = {
  network: DEFAULT_CHAIN,
  asset: EXAMPLE_ASSET,
  currency_code: DEFAULT_CURRENCY,
  amount: '1500',
  order_id: EXAMPLE_ORDER_ID,
};

/** What an order is read from: its query, by the rules that judge it. `all`: by the terms in force. */
function orderParameters(all: readonly Currency[]): readonly JsonSchema[] {
  const currencies = Object.fromEntries(all.map((currency) => [currency.code, currency])) as Currencies;
  return Object.entries(orderFields(currencies)).map(([field, rule]) => {
    const { description, ...schema } = rule.schema;
    return { name: field, in: 'query', required: rule.required, description, schema, example: ORDER_EXAMPLE[field] };
  });
}

const STATUS_BODY: RequestBody = {
  schema: objectSchema(ORDER_STATUS_FIELDS),
  examples: {
    order: {
      summary: 'Of the order that the example there makes: send that first',
      value: { order_id: EXAMPLE_ORDER_ID },
    },
  },
};

export const ORDER_OPERATIONS = {
  checkout: {
    method: 'POST',
    paths: ['/v1/checkout/'],
    key: 'checkout',
    scope: 'orders',
    money: false,
    offer: null,
    replays: true,
    notWhileSuspended: true,
    document: {
      tag: 'Checkout',
      ids: ['createOrder'],
      summary: 'Make an order',
      description:
        'Gives an address of this order alone, a frozen rate and what is due in dollars and in the token, for `expires_in` seconds. The parameters are in the query; a body is not looked at. Send the payer to `payment_url`, or show `address` and `asset_amount` yourself. ' +
        'What reaches the address in that time (by the time of its block, at most 30 s after `expires_at`) counts, in one transfer or several; an order that is `COMPLETE` has credited its `amount` to your wallet in `currency_code`. `order_id` is your own name for it, used once, for ever: ' +
        'the same request again is the same order as it stands by now, with `Idempotent-Replayed: true`; any other content under it is a 409. After a 503 or 504 send the same request again, or ask for its status. A network that is not served is a 503, and so is a rate that is not fresh. You are told of its changes at your default webhook URL.',
      message: 'The order',
      answer: 'Order',
      query: orderParameters,
      links: () => ({
        status: {
          operationId: 'getOrder',
          requestBody: { order_id: '$response.body#/data/order_id' },
          description: 'How it stands',
        },
      }),
      errors: [
        'unsupported_currency',
        'unsupported_network',
        'amount_out_of_range',
        'reference_reused',
        'rate_stale',
        'outcome_unknown',
      ],
    },
  },
  orderStatus: {
    method: 'POST',
    paths: ['/v1/checkout/status'],
    key: 'either',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Checkout',
      ids: ['getOrder'],
      summary: 'Status of an order',
      description:
        'How an order of yours stands: with either kind of key. `PENDING` → `PROCESSING` (a transfer was seen) → `COMPLETE` or `FAILED`, never backwards; `reason` says why it failed, or that it was overpaid.',
      message: 'The order',
      answer: 'OrderStatus',
      body: () => STATUS_BODY,
      errors: ['not_found'],
    },
  },
} as const satisfies Operations;
