import {
  bankRecord,
  correction,
  deliveryView,
  nameMatch,
  networkView,
  orderView,
  refundView,
  sandboxPayoutControlled,
  statementEntry,
  statusRow,
  webhookEvent,
  type OrderView,
  type StatementKind,
} from '@vuka/contracts';
import { FAILURE_CODES, PAYOUT_TYPES, WALLET_CURRENCIES, type Currency } from '@vuka/domain';
import { z } from 'zod';

import { answeredAs, refTo, type JsonSchema } from './json-schema.js';
import { OPERATION_TEXTS, type Described, type OperationText } from './operation-texts.js';

const id = z.int().positive();
const decimal = z.string().regex(/^\d+(\.\d+)?$/);
const signedDecimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const instant = z.iso.datetime().describe('RFC 3339, UTC');
const currencyCode = z.enum(WALLET_CURRENCIES);
const failureCode = z.enum(['', ...Object.keys(FAILURE_CODES)]);
const payoutType = z.enum(Object.values(PAYOUT_TYPES));
const CHECKOUT = 'CHECKOUT';

const acceptanceRecord = z.object({
  status: z.literal('PENDING'),
  transaction_code: z
    .string()
    .describe('Your `reference`, else one of ours. Ask for the outcome by it')
    .meta({ examples: ['payroll-2026-11-0042'] }),
  message: z.string().meta({ examples: ['Payout accepted and being processed'] }),
});

/** The contract's row, narrowed to what is answered, with a word on each field. */
const describedRow = statusRow.extend({
  id: id.describe('Ours; another than `transaction_code`'),
  transaction_code: z.string().describe('Your `reference`, else the one we made'),
  status: statusRow.shape.status.describe(
    'PENDING → PROCESSING → COMPLETE or FAILED; COMPLETE → REVERSED where the money came back. Never backwards',
  ),
  amount: decimal.describe('In `currency_code`, with its fixed decimals').meta({ examples: ['1500.00'] }),
  amount_in_usd: decimal
    .describe(
      'At the frozen rate; `0.00` where none is frozen: of payouts from a wallet, and of a pay whose transfer was not looked for yet',
    )
    .meta({ examples: ['0.00'] }),
  type: z
    .enum([...payoutType.options, CHECKOUT])
    .describe('What kind of destination was paid; `CHECKOUT` of an order’s'),
  shortcode: z.string().describe('Phone in local form, till or paybill; `""` for a bank account'),
  account_number: z.string().nullable().describe('Of the bank account, or at the paybill'),
  public_name: z
    .string()
    .nullable()
    .describe('The recipient as the rail knows it; null until paid, or where it cannot tell'),
  receipt_number: z.string().nullable().describe('The rail’s receipt; null until paid'),
  category: statusRow.shape.category.describe(
    'DISBURSEMENT is money that goes out, COLLECTION what a checkout order has brought into your wallet',
  ),
  chain: z.string().describe('Of the deposit; `""` for a payout from the wallet'),
  asset: z
    .string()
    .nullable()
    .describe('The token of the deposit: as it arrived, and before that as named; null until one is known'),
  transaction_hash: z
    .string()
    .nullable()
    .describe('Of the deposit, in its one canonical spelling; null for a payout from the wallet'),
  message: z.string().describe('For people; where FAILED, why'),
  currency_code: currencyCode.describe('What it is paid in, and the wallet it leaves or a deposit’s value would go to'),
  is_released: z.boolean().describe('true where `status` is COMPLETE'),
  mobile_network: z.string().describe('Canonical name; `""` unless a phone was paid'),
  created_at: instant,
  fee: decimal.describe('Your markup, inside `amount`'),
  service_fee: decimal.describe('Ours, on top of `amount`'),
  rate: z.string().describe('Fiat for one whole token, frozen for this pay; `""` where none is'),
  quote_id: z.string().describe('The quote that was sent; `""` where none was'),
  refund: z
    .enum(['', ...refundView.shape.status.options])
    .describe('What became of a deposit that goes back; `""` where none does'),
  order_id: z.string().describe('Of a checkout order; `""` otherwise'),
  failure_code: failureCode.describe('Why it FAILED, from a closed list; `""` otherwise'),
  updated_at: instant,
  correction: z
    .union([z.literal(''), correction])
    .describe(
      'Of a FAILED or REVERSED one that was paid all the same: the payment, also when it has come back since. Its status stays. `""` otherwise',
    ),
});

const wallet = z.object({
  id,
  balance: z.number().describe('What may be spent now: held money is not in it'),
  currency: currencyCode,
  country_name: z.string(),
});

/** The contract's network, with a word on each field. */
const network = networkView.extend({
  name: networkView.shape.name.describe('As in `chain` of a pay'),
  icon: networkView.shape.icon.describe('`""`: none yet'),
  settlement_wallet_address: networkView.shape.settlement_wallet_address.describe(
    'Your own address there: what arrives is yours. `""` where the network is not served',
  ),
  checkout_status: networkView.shape.checkout_status.describe('Whether deposits are taken there now'),
  assets: networkView.shape.assets.describe(
    'Told apart by `contract_address`, never by name: a token of the same name is not the same token',
  ),
});

const account = z.object({
  id,
  name: z.string(),
  email: z.string(),
  status: z.literal('ACTIVE'),
  checkout_key: z.string().describe('The visible beginning of the checkout key; `""` where there is none'),
  wallets: z.array(wallet),
  networks: z.array(network),
  created_at: instant,
});

const resolution = {
  status: z.enum(['COMPLETE', 'FAILED']).describe('FAILED: there is no such destination'),
  verified: z
    .boolean()
    .describe('true where the rail told the name. false: only the form is known to be right, and the name is `""`'),
  name_match: nameMatch
    .optional()
    .describe('Only where you sent `account_name`: how it compares, whatever its case, order and accents'),
};

const resolvedShortcode = z.object({
  status: resolution.status,
  shortcode: z.string().describe('Phone in local form, till or paybill'),
  public_name: z.string().describe('The owner; never a placeholder'),
  mobile_network: z.string().describe('Canonical name; `""` for tills and paybills'),
  verified: resolution.verified,
  name_match: resolution.name_match,
});

const resolvedAccount = z.object({
  status: resolution.status,
  account_name: z.string().describe('The owner; never a placeholder'),
  account_number: z.string(),
  bank_name: z.string(),
  bank_code: z.string(),
  verified: resolution.verified,
  name_match: resolution.name_match,
});

/** Clients parse it as a number (decisions.md section 2, checkout); inside it is none. */
const wireNumber = z.number();

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
  amount: wireNumber.positive().describe('What is due, in US dollars'),
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

const webhookEndpoint = z.object({ url: z.string().nullable().describe('Null: none') });

const deliveryFields = deliveryView.shape;

/** The contract's row, with a word on each field. */
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

const refund = z.object({
  refund_id: id.describe('Ours'),
  status: refundView.shape.status.describe(
    'PENDING: to be signed. PROCESSING: on its way. COMPLETE: final on the chain. FAILED: nothing was sent',
  ),
  chain: z.string(),
  asset: z.string().meta({ examples: ['USDC'] }),
  amount: decimal.describe('Whole tokens, as they arrived').meta({ examples: ['11.596444'] }),
  address: z.string().describe('Where it goes, as the chain spells it'),
  transaction_hash: z.string().describe('Of the deposit, in its one canonical spelling'),
  refund_transaction_hash: z.string().describe('Of the transfer that sends it back; `""` before it is signed'),
});

const country = z.object({
  id,
  name: z.string(),
  currency_code: currencyCode,
  phone_code: z.string().regex(/^\d+$/).describe('Digits without +'),
});

const STATEMENT_KINDS: Readonly<Record<StatementKind, string>> = {
  opening: 'what the sandbox gave you to begin with',
  top_up: 'money you had put in',
  debit: 'money we took out, as agreed with you',
  hold: 'a payout was accepted: its amount and service fee are set aside',
  release: 'a payout failed: its money is in your wallet',
  markup: 'a payout succeeded: your `fee`, with what a deposit was too much, or less what it was short',
  reversal:
    'a payout came back after it had succeeded: its amount and service fee, an entry each; less what we had added to a deposit that was short',
  paid_again_returned: 'a payout was paid although you had its money back, and that payment has come back too',
  collected: 'taken for what you owe: you had the money of a payout back, and it was paid all the same',
  refund_failed: 'a refund on chain did not go through: its value',
  checkout: 'a checkout order was paid',
  deposit: 'a deposit that came late or was used for nothing, at the rate of that day',
};

const entry = statementEntry.extend({
  id: id.describe('Of the entry; higher than those of older ones'),
  kind: statementEntry.shape.kind.describe(
    Object.entries(STATEMENT_KINDS)
      .map(([kind, meaning]) => `\`${kind}\`: ${meaning}`)
      .join('. '),
  ),
  transaction_code: z.string().describe('Whose money it was; `""` where of no transaction'),
  amount: signedDecimal.describe('Minus is what went out'),
  balance: signedDecimal.describe('In the wallet afterwards'),
  at: instant,
});

const operation = z.enum(['bank_transfer', 'disburse', 'pay']);
const walletOf = {
  currency: z.string().describe('As in the path'),
  paid_in: currencyCode.describe('What the amounts here are in, and the wallet of payouts that leave one'),
};

const limit = z.object({
  operation,
  ...walletOf,
  type: payoutType,
  mobile_network: z.string().describe('`""` unless a phone is paid'),
  min: decimal.describe('The least that `amount` may be').meta({ examples: ['20.00'] }),
  max: decimal.describe('The most: the smaller of ours and the network’s').meta({ examples: ['250000.00'] }),
  decimals: z.int().min(0).describe('How many `amount` may have'),
});

const fee = z.object({
  operation,
  ...walletOf,
  flat: decimal.describe('Taken on each').meta({ examples: ['30.00'] }),
  basis_points: z.int().min(0).describe('Of the amount, rounded up, on top of `flat`'),
});

const bank = bankRecord.extend({
  code: z.string().describe('The `bank_code` of a payout. `Name` and `Code` say the same, for clients that read those'),
});

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
