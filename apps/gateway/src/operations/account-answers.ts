import {
  bankRecord,
  deliveryView,
  networkView,
  statementEntry,
  webhookEvent,
  type StatementKind,
} from '@vuka/contracts';
import { z } from 'zod';

import { currencyCode, decimal, id, instant, payoutType, signedDecimal } from './answer-fields.js';

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

export const ACCOUNT_ANSWERS = {
  Account: account,
  Wallet: wallet,
  Rates: rates,
  RatesInForce: ratesInForce,
  OneWayRate: oneWayRate,
} as const;

export const REFERENCE_ANSWERS = {
  WebhookEndpoint: webhookEndpoint,
  Delivery: delivery,
  ResentDeliveries: resentDeliveries,
  Country: country,
  Network: network,
  StatementEntry: entry,
  Bank: bank,
  Limit: limit,
  Fee: fee,
} as const;
