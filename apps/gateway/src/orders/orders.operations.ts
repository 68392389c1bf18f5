import { orderView, type OrderView } from '@vuka/contracts';
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
import { z } from 'zod';

import {
  type AnswerSchemas,
  decimal,
  instant,
  type JsonSchema,
  type Operations,
  type RequestBody,
} from '../operations/index.js';

/** A number for clients (decisions.md section 2, checkout), but not inside. */
const jsonNumber = z.number();

const orderFacts = {
  order_id: z.string().describe('Your own name for it'),
  status: orderView.shape.status.describe(
    'PENDING → PROCESSING (a transfer was seen) → COMPLETE or FAILED. Never backwards',
  ),
  network: z.string().meta({ examples: ['CELO'] }),
  asset: z.string().meta({ examples: ['USDC'] }),
  asset_amount: decimal.describe('What is due, in whole tokens').meta({ examples: ['11.596444'] }),
  address: z.string().describe('Where to send it: of this order alone'),
  rate: z.number().positive().describe('Fiat for one whole token, frozen for this order'),
  amount: jsonNumber.positive().describe('What is due, in US dollars'),
  expires_at: instant,
};

const order = z.object({
  ...orderFacts,
  expires_in: z.int().min(0).describe('Seconds that are left'),
  memo_address: z
    .string()
    .describe('With `memo`, for wallets that cannot send to the address; `""` where the chain has no memos'),
  memo: z.string(),
  payment_url: z.string().describe('The page that shows the payer all of this; `""` where there is none'),
});

const ORDER_REASONS: Readonly<Record<OrderView['reason'], string>> = {
  '': 'none',
  expired: 'nothing arrived in time',
  underpaid: 'less than was due arrived in time; it waits for you, to be sent back',
  overpaid: 'COMPLETE, and more than was due arrived; the rest is yours',
  late: 'it arrived after the end; it waits for you, to be sent back',
  wrong_asset: 'another token arrived',
  wrong_network: 'it arrived on another network',
};

const orderStatus = z.object({
  ...orderFacts,
  reason: orderView.shape.reason.describe(
    Object.entries(ORDER_REASONS)
      .map(([reason, meaning]) => `\`${reason === '' ? '""' : reason}\`: ${meaning}`)
      .join('. '),
  ),
  message: z.string().describe('For people'),
  received_amount: decimal
    .describe('What has arrived of it, final or not, in whole tokens')
    .meta({ examples: ['0.000000'] }),
  transaction_hash: z.string().nullable().describe('Of the newest transfer to it; null where there is none yet'),
});

export const ORDER_ANSWERS = { Order: order, OrderStatus: orderStatus } as const satisfies AnswerSchemas;

const EXAMPLE_ORDER_ID = 'docs-order';

const [{ symbol: EXAMPLE_ASSET = '' } = {}] = acceptedTokens(chainNamed(DEFAULT_CHAIN) ?? { tokens: [] });

const ORDER_EXAMPLE: Readonly<Record<string, string>> = {
  network: DEFAULT_CHAIN,
  asset: EXAMPLE_ASSET,
  currency_code: DEFAULT_CURRENCY,
  amount: '1500',
  order_id: EXAMPLE_ORDER_ID,
};

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
