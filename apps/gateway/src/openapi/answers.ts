import { sandboxPayoutControlled } from '@vuka/contracts';
import type { Currency } from '@vuka/domain';
import { z } from 'zod';

import {
  account,
  bank,
  country,
  delivery,
  entry,
  fee,
  limit,
  network,
  oneWayRate,
  rates,
  ratesInForce,
  resentDeliveries,
  wallet,
  webhookEndpoint,
} from './account-answers.js';
import { answeredAs, refTo, type JsonSchema } from './json-schema.js';
import { OPERATION_TEXTS, type Described, type OperationText } from './operation-texts.js';
import {
  acceptanceRecord,
  describedRow,
  order,
  orderStatus,
  quote,
  refund,
  resolvedAccount,
  resolvedShortcode,
} from './payment-answers.js';

const health = {
  live: z.object({ status: z.literal('live') }),
  ready: z.object({
    status: z.literal('ready'),
    checks: z
      .record(z.string(), z.union([z.literal(true), z.string()]))
      .describe('By service: true, or why what needs it is answered 503 for now'),
  }),
};

/** What `data` may be, by the name of its schema. */
export const ANSWERS = {
  Acceptance: acceptanceRecord,
  StatusRow: describedRow,
  ResolvedShortcode: resolvedShortcode,
  ResolvedAccount: resolvedAccount,
  Account: account,
  Wallet: wallet,
  Rates: rates,
  RatesInForce: ratesInForce,
  OneWayRate: oneWayRate,
  Quote: quote,
  Refund: refund,
  Order: order,
  OrderStatus: orderStatus,
  WebhookEndpoint: webhookEndpoint,
  Delivery: delivery,
  ResentDeliveries: resentDeliveries,
  Country: country,
  Network: network,
  StatementEntry: entry,
  Bank: bank,
  Limit: limit,
  Fee: fee,
  ControlledPayout: sandboxPayoutControlled,
  Live: health.live,
  Ready: health.ready,
} as const;

export type AnswerName = keyof typeof ANSWERS;

export function answerSchemas(): Record<AnswerName, JsonSchema> {
  return Object.fromEntries(Object.entries(ANSWERS).map(([name, schema]) => [name, answeredAs(schema)])) as Record<
    AnswerName,
    JsonSchema
  >;
}

/** What `data` of each operation is: one thing, or a list of them. Name lookups answer by the kind of destination, the document is no envelope. */
const ANSWER_OF = {
  bankTransfer: 'Acceptance',
  disburse: 'Acceptance',
  pay: 'Acceptance',
  quote: 'Quote',
  refund: 'Refund',
  checkout: 'Order',
  orderStatus: 'OrderStatus',
  exchangeRate: 'Rates',
  exchangeRateInForce: 'RatesInForce',
  accountExchangeRate: 'OneWayRate',
  sandboxPayout: 'ControlledPayout',
  status: 'StatusRow',
  validation: null,
  transactions: ['StatusRow'],
  accountTransaction: 'StatusRow',
  accountDetail: 'Account',
  accountWallet: 'Wallet',
  accountCountries: ['Country'],
  accountNetworks: ['Network'],
  accountStatement: ['StatementEntry'],
  limits: ['Limit'],
  fees: ['Fee'],
  webhookEndpoint: 'WebhookEndpoint',
  webhookTest: 'Delivery',
  webhookDeliveries: ['Delivery'],
  webhookResend: 'Delivery',
  webhookResendMany: 'ResentDeliveries',
  banks: ['Bank'],
  openapi: null,
  live: 'Live',
  ready: 'Ready',
} as const satisfies Record<Described, AnswerName | readonly [AnswerName] | null>;

export function answerOf(
  name: Described,
  currency: Currency | null,
): { readonly schema: JsonSchema; readonly example?: unknown } {
  const answer: AnswerName | readonly [AnswerName] | null = ANSWER_OF[name];
  if (name === 'openapi') return { schema: { type: 'object', required: ['openapi', 'info', 'paths'] } };
  if (name === 'validation' && currency !== null) return { schema: envelope(name, resolutionIn(currency), false) };
  if (answer === null) return { schema: envelope(name, {}, false) };
  if (typeof answer === 'string') return { schema: envelope(name, refTo('schemas', answer), false) };
  return { schema: envelope(name, { type: 'array', items: refTo('schemas', answer[0]) }, true) };
}

/** One of those that the currency's lookups give. */
function resolutionIn({ lookups }: Currency): JsonSchema {
  const names = new Set(lookups.map(({ kind }) => (kind === 'bank' ? 'ResolvedAccount' : 'ResolvedShortcode')));
  const schemas = [...names].map((name) => refTo('schemas', name));
  return schemas.length === 1 && schemas[0] !== undefined ? schemas[0] : { anyOf: schemas };
}

/** decisions.md section 1: `{code, message, data}`, and of lists alone `next_cursor`. */
function envelope(name: Described, data: JsonSchema, list: boolean): JsonSchema {
  const { message }: OperationText = OPERATION_TEXTS[name];
  return {
    type: 'object',
    properties: {
      code: { type: 'integer', const: 200 },
      message: { type: 'string', examples: [message] },
      data,
      ...(list && {
        next_cursor: {
          type: ['string', 'null'],
          description: 'Send it as `cursor` for the next page; null on the last one',
          examples: [null],
        },
      }),
    },
    required: ['code', 'message', 'data', ...(list ? ['next_cursor'] : [])],
    additionalProperties: false,
  };
}
