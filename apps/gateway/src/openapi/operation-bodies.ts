import { DEFAULT_CURRENCY, objectSchema, ORDER_STATUS_FIELDS, type Currency, type RuleSet } from '@vuka/domain';

import { DEFAULT_WEBHOOK_FIELDS, DELIVERY_LIST_FIELDS, RESEND_FIELDS } from '../webhooks/index.js';
import { TRANSACTION_LIST_FIELDS } from '../transactions/index.js';
import { DIRECTIONS, RATE_FIELDS } from '../rates/index.js';
import { STATEMENT_FIELDS } from '../account/index.js';
import type { Described } from './operation-texts.js';
import { EXAMPLE_ORDER_ID } from './query-parameters.js';
import { quoteBody, refundBody, shapedBody, transactionBody, type RequestBody } from './request-bodies.js';

const DAY_MS = 86_400_000;
const DAYS_SHOWN = 30;

/** The body an operation takes, null where it takes none. `currency` where it hangs on one. */
export function bodyOf(name: Described, currency: Currency | null, today: Date): RequestBody | null {
  switch (name) {
    case 'bankTransfer':
      return currency && shapedBody('bank_transfer', currency);
    case 'disburse':
      return currency && shapedBody('disburse', currency);
    case 'pay':
      return currency && shapedBody('pay', currency);
    case 'refund':
      return refundBody();
    case 'quote':
      return currency && quoteBody(currency);
    case 'orderStatus':
      return {
        schema: objectSchema(ORDER_STATUS_FIELDS),
        examples: {
          order: {
            summary: 'Of the order that the example there makes: send that first',
            value: { order_id: EXAMPLE_ORDER_ID },
          },
        },
      };
    case 'webhookEndpoint':
      return WEBHOOK;
    case 'webhookDeliveries':
      return ofLog(DELIVERY_LIST_FIELDS, lastDays(today));
    case 'webhookResendMany':
      return ofLog(RESEND_FIELDS, lastDays(today));
    case 'exchangeRate':
    case 'exchangeRateInForce':
      return {
        schema: objectSchema(RATE_FIELDS),
        examples: { currency: { summary: 'Of one currency', value: { currency_code: DEFAULT_CURRENCY } } },
      };
    case 'accountExchangeRate':
      return ONE_WAY;
    case 'validation':
      return currency && shapedBody('validation', currency);
    case 'status':
      return transactionBody(['transaction_code']);
    case 'accountTransaction':
      return transactionBody(['transaction_code', 'reference', 'transaction_hash']);
    case 'transactions':
      return ofDays(TRANSACTION_LIST_FIELDS, lastDays(today));
    case 'accountStatement':
      return ofDays(STATEMENT_FIELDS, { currency: DEFAULT_CURRENCY, ...lastDays(today) });
    default:
      return null;
  }
}

const WEBHOOK: RequestBody = {
  schema: objectSchema(DEFAULT_WEBHOOK_FIELDS),
  examples: {
    set: { summary: 'Tell us there', value: { url: 'https://example.com/hooks/vuka' } },
    clear: { summary: 'Tell us nowhere', value: { url: null } },
  },
};

const NOT_ASKED = { enum: [false, '', null], description: 'Not of this direction' };
const ASKED = { type: 'boolean', enum: [true] };

/** Which of the two is asked for says which currency has to be named. */
const ONE_WAY: RequestBody = {
  schema: {
    anyOf: [
      { title: 'For dollars', ...directionSchema('buying_rate', 'selling_rate', DIRECTIONS.buying_rate) },
      { title: 'Of dollars', ...directionSchema('selling_rate', 'buying_rate', DIRECTIONS.selling_rate) },
    ],
  },
  examples: {
    buying: { summary: 'What you get for dollars', value: { buying_rate: true, to: DEFAULT_CURRENCY } },
    selling: { summary: 'What you give for dollars', value: { selling_rate: true, from: DEFAULT_CURRENCY } },
  },
};

function directionSchema(asked: string, other: string, named: RuleSet): Record<string, unknown> {
  const { properties, required } = objectSchema(named) as {
    properties: Readonly<Record<string, unknown>>;
    required: readonly string[];
  };
  return {
    type: 'object',
    required: [asked, ...required],
    properties: { [asked]: ASKED, [other]: NOT_ASKED, ...properties },
  };
}

/** A list, by the rules that judge its body. */
function ofDays(fields: RuleSet, value: Readonly<Record<string, string>>): RequestBody {
  return { schema: objectSchema(fields), examples: { days: { summary: 'All of some days', value } } };
}

/** The same, of what need not be of some days. */
function ofLog(fields: RuleSet, days: Readonly<Record<string, string>>): RequestBody {
  const examples = {
    failed: { summary: 'Those that were given up', value: { state: 'failed' } },
    days: { summary: 'Those of some days', value: { state: 'failed', ...days } },
  };
  return { schema: objectSchema(fields), examples };
}

function lastDays(today: Date): Record<string, string> {
  const day = (at: Date): string => at.toISOString().slice(0, 10);
  return { start_date: day(new Date(today.getTime() - DAYS_SHOWN * DAY_MS)), end_date: day(today) };
}
