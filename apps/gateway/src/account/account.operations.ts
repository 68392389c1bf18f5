import { networkView, statementEntry, type StatementKind } from '@vuka/contracts';
import { DEFAULT_CURRENCY, VELOCITY_SUBJECTS, VELOCITY_WINDOWS } from '@vuka/domain';
import { z } from 'zod';

import {
  type AnswerSchemas,
  currencyCode,
  decimal,
  id,
  idParameter,
  instant,
  lastDays,
  listBody,
  type Operations,
  payoutType,
  signedDecimal,
} from '../operations/index.js';
import { LISTS_IN_TURN } from '../transactions/index.js';
import { STATEMENT_FIELDS } from './wallet-statement.js';

const wallet = z.object({
  id,
  balance: z.number().describe('What may be spent now: held money is not in it'),
  currency: currencyCode,
  country_name: z.string(),
});

/** Adds descriptions to the contract's network. */
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

const velocity = z.object({
  per: z.enum(VELOCITY_SUBJECTS).describe('Counted for all your payouts, for each API key, or for each recipient'),
  window: z.enum(VELOCITY_WINDOWS),
  amount: decimal.nullable().describe('Of their `amount`s; `null`: any'),
  count: z.int().min(1).nullable().describe('Of payouts; `null`: any'),
});

const limit = z.object({
  operation,
  ...walletOf,
  type: payoutType,
  mobile_network: z.string().describe('`""` unless a phone is paid'),
  min: decimal.describe('The least that `amount` may be').meta({ examples: ['20.00'] }),
  max: decimal.describe('The most: the smaller of ours and the network’s').meta({ examples: ['250000.00'] }),
  decimals: z.int().min(0).describe('How many `amount` may have'),
  velocity: z
    .array(velocity)
    .optional()
    .describe(
      'The most in one hour or day of UTC, of all your payouts in `paid_in` together. Absent where none is set',
    ),
});

const fee = z.object({
  operation,
  ...walletOf,
  flat: decimal.describe('Taken on each').meta({ examples: ['30.00'] }),
  basis_points: z.int().min(0).describe('Of the amount, rounded up, on top of `flat`'),
});

export const ACCOUNT_ANSWERS = { Account: account, Wallet: wallet } as const satisfies AnswerSchemas;

export const REFERENCE_ANSWERS = {
  Country: country,
  Network: network,
  StatementEntry: entry,
} as const satisfies AnswerSchemas;

export const TERMS_ANSWERS = { Limit: limit, Fee: fee } as const satisfies AnswerSchemas;

export const ACCOUNT_OPERATIONS = {
  accountDetail: {
    method: 'POST',
    paths: ['/account/detail'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Account',
      ids: ['getAccount'],
      summary: 'Account and wallets',
      description:
        'Who you are, what is in your wallets, and the networks you may be paid on. Held money is not in a balance.',
      message: 'The account',
      answer: 'Account',
      links: () => ({
        wallet: {
          operationId: 'getWallet',
          parameters: { id: '$response.body#/data/wallets/0/id' },
          description: 'The first wallet',
        },
      }),
      errors: ['not_found'],
    },
  },
  accountWallet: {
    method: 'POST',
    paths: ['/account/wallet/:id'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Account',
      ids: ['getWallet'],
      summary: 'One wallet',
      description: 'One of your wallets, by its `id` in the account.',
      message: 'The wallet',
      answer: 'Wallet',
      parameters: { id: idParameter('A wallet’s `id` in the account') },
    },
  },
  accountStatement: {
    method: 'POST',
    paths: ['/account/statement'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Account',
      ids: ['listStatement'],
      summary: 'Statement of a wallet',
      description:
        'What changed a wallet on the days from `start_date` to `end_date` (UTC, both included; `end_date` at most 400 days after `start_date`), newest first, with the balance after each entry. ' +
        `Pages as the list of transactions does. ${LISTS_IN_TURN}`,
      message: 'The statement',
      answer: ['StatementEntry'],
      body: ({ today }) => listBody(STATEMENT_FIELDS, { currency: DEFAULT_CURRENCY, ...lastDays(today) }),
      errors: ['not_found', 'unsupported_currency'],
    },
  },
} as const satisfies Operations;

export const REFERENCE_OPERATIONS = {
  accountCountries: {
    method: 'POST',
    paths: ['/account/countries'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Reference',
      ids: ['listCountries'],
      summary: 'Countries',
      description: 'Where payouts go.',
      message: 'The countries',
      answer: ['Country'],
    },
  },
  accountNetworks: {
    method: 'POST',
    paths: ['/account/networks'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Reference',
      ids: ['listNetworks'],
      summary: 'Networks',
      description:
        'The chains, and the assets on each. Send only what is listed, only to `settlement_wallet_address`: it is yours for good, and one for all chains of the same kind. A network that is not served has none.',
      message: 'The networks',
      answer: ['Network'],
    },
  },
  limits: {
    method: 'POST',
    paths: ['/v1/limits'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Reference',
      ids: ['listLimits'],
      summary: 'Limits',
      description: 'What one payout may be, by currency, operation and kind of destination.',
      message: 'The limits',
      answer: ['Limit'],
    },
  },
  fees: {
    method: 'POST',
    paths: ['/v1/fees', '/v1/fees/:currency'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Reference',
      ids: ['listFees', 'listFeesByCurrency'],
      summary: ['Fees', 'Fees in one currency'],
      description: 'What we take on top of an amount, by currency and operation.',
      message: 'The fees',
      answer: ['Fee'],
    },
  },
} as const satisfies Operations;
