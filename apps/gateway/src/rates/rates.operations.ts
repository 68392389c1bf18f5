import { DEFAULT_CURRENCY, objectSchema, type ErrorCode, type RuleSet } from '@vuka/domain';
import { z } from 'zod';

import {
  type AnswerSchemas,
  currencyCode,
  decimal,
  instant,
  type Operations,
  quoteBody,
  type RequestBody,
} from '../operations/index.js';
import { DIRECTIONS, RATE_FIELDS } from './get-rates.js';

const rate = z.number().positive();

const rates = z.object({
  buying_rate: rate.describe('What we give for stablecoin worth 1 USD: of `pay`, quotes and checkout'),
  selling_rate: rate.describe('What we would take for it'),
  quoted_rate: rate.describe('The middle of the market'),
});

const ratesInForce = rates.extend({
  is_onramp_active: z.boolean().describe('false: there is no way onto a chain yet'),
  is_offramp_active: z.boolean().describe('Whether deposits are paid out at the moment, on any chain'),
});

const oneWayRate = z.object({
  from: currencyCode.describe('What is given'),
  to: currencyCode.describe('What it is given for'),
  rate: rate.describe('Fiat for 1 USD, in either direction'),
});

const quote = z.object({
  quote_id: z.uuid().describe('Send it with the `pay`'),
  rate: decimal.describe('Fiat for one whole token').meta({ examples: ['129.35'] }),
  amount: decimal.describe('As you asked, with the currency’s decimals').meta({ examples: ['1500.00'] }),
  asset_amount: decimal.describe('What to send, in whole tokens').meta({ examples: ['11.596444'] }),
  amount_in_usd: decimal.meta({ examples: ['11.60'] }),
  settlement_wallet_address: z.string().describe('Where to send it: your own address on that chain'),
  memo_address: z
    .string()
    .describe('With `memo`, for wallets that cannot send to the address; `""` where the chain has no memos'),
  memo: z.string(),
  expires_in: z.int().min(0).describe('Seconds'),
  expires_at: instant,
});

export const RATE_ANSWERS = {
  Rates: rates,
  RatesInForce: ratesInForce,
  OneWayRate: oneWayRate,
  Quote: quote,
} as const satisfies AnswerSchemas;

const OF_RATES = ['unsupported_currency', 'rate_stale'] as const satisfies readonly ErrorCode[];

const RATE_BODY: RequestBody = {
  schema: objectSchema(RATE_FIELDS),
  examples: { currency: { summary: 'Of one currency', value: { currency_code: DEFAULT_CURRENCY } } },
};

const NOT_ASKED = { enum: [false, '', null], description: 'Not of this direction' };
const ASKED = { type: 'boolean', enum: [true] };

const ONE_WAY_BODY: RequestBody = {
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

export const QUOTE_OPERATIONS = {
  quote: {
    method: 'POST',
    paths: ['/v1/quote', '/v1/quote/:currency'],
    key: 'consumer',
    scope: 'payouts',
    money: false,
    offer: null,
    notWhileSuspended: true,
    document: {
      tag: 'Rates',
      ids: ['quote', 'quote'],
      summary: 'Hold a rate for a deposit in {currency}',
      description:
        'What to send, where to, and the rate that a `pay` with this `quote_id` gets: for the same amount, currency, chain and asset, once, and for a transfer that is in a block at most 30 s after `expires_at`. ' +
        'It is for at most `asset_amount` and the tolerance: what is sent beyond that is left over. The `pay` has to be accepted within 30 minutes of `expires_at`. A later transfer gets the rate of the time, and the row’s `message` says so. ' +
        'What your open quotes are worth together is limited: one that would be more is a 429. A chain that is not served is a 503, and so is a rate that is not fresh.',
      message: 'The quote',
      answer: 'Quote',
      byCurrency: true,
      body: ({ currency }) => currency && quoteBody(currency),
      errors: ['unsupported_currency', 'unsupported_network', 'amount_out_of_range', 'rate_stale'],
    },
  },
} as const satisfies Operations;

export const RATE_OPERATIONS = {
  exchangeRate: {
    method: 'POST',
    paths: ['/v1/exchange-rate'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Rates',
      ids: ['getExchangeRate'],
      summary: 'Rates of a currency',
      description:
        'Fiat for 1 USD. `buying_rate` is what we give for stablecoin, `selling_rate` what we would take, `quoted_rate` the middle. A rate that is not fresh is a 503, never an old one.',
      message: 'The exchange rate',
      answer: 'Rates',
      body: () => RATE_BODY,
      errors: OF_RATES,
    },
  },
  exchangeRateInForce: {
    method: 'POST',
    paths: ['/v2/exchange-rate'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Rates',
      ids: ['getExchangeRateInForce'],
      summary: 'Rates of a currency, and what is open',
      description: 'The same, and whether deposits are paid out at the moment (`is_offramp_active`).',
      message: 'The exchange rate',
      answer: 'RatesInForce',
      body: () => RATE_BODY,
      errors: OF_RATES,
    },
  },
  accountExchangeRate: {
    method: 'POST',
    paths: ['/account/exchange-rate'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Rates',
      ids: ['getOneWayExchangeRate'],
      summary: 'Rate of one direction',
      description:
        '`{"buying_rate": true, "to": "…"}` for what you get for dollars, `{"selling_rate": true, "from": "…"}` for what you give for them. `rate` is fiat for 1 USD either way.',
      message: 'The exchange rate',
      answer: 'OneWayRate',
      body: () => ONE_WAY_BODY,
      errors: OF_RATES,
    },
  },
} as const satisfies Operations;
