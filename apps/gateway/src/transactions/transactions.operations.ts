import { statusRow, correction, refundView } from '@vuka/contracts';
import { FAILURE_CODES } from '@vuka/domain';
import { z } from 'zod';

import {
  type AnswerSchemas,
  currencyCode,
  decimal,
  id,
  instant,
  lastDays,
  listBody,
  type Operations,
  transactionBody,
  payoutType,
} from '../operations/index.js';
import { TRANSACTION_LIST_FIELDS } from './list-transactions.js';

const failureCode = z.enum(['', ...Object.keys(FAILURE_CODES)]);

const CHECKOUT = 'CHECKOUT';

/** Adds descriptions to the contract's row. */
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
    .describe('The recipient as the provider knows it; null until paid, or where it cannot tell'),
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

export const TRANSACTION_ANSWERS = { StatusRow: describedRow } as const satisfies AnswerSchemas;

const CURRENCY_FILTERS =
  'The currency in the path filters: a transaction of another currency is a 404. Leave it out for any.';
export const LISTS_IN_TURN =
  'Your lists and statements are read one after the other: of many at once, those that cannot wait are a 429. One that takes too long to read is a 503: ask for fewer days.';

export const TRANSACTION_OPERATIONS = {
  status: {
    method: 'POST',
    paths: ['/:currency/status', '/v1/status', '/v1/status/:currency'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Transactions',
      ids: ['getStatusInCurrency', 'getStatus', 'getStatusByCurrency'],
      summary: ['Status, market form', 'Status', 'Status in one currency'],
      description: `The row of one transaction. ${CURRENCY_FILTERS}`,
      message: 'The transaction',
      answer: 'StatusRow',
      body: () => transactionBody(['transaction_code']),
      errors: ['not_found'],
    },
  },
  accountTransaction: {
    method: 'POST',
    paths: ['/account/:currency/transaction'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Transactions',
      ids: ['getAccountTransaction'],
      summary: 'One transaction of a country',
      description:
        'The same row, by `transaction_code`, `reference` or `transaction_hash` in any spelling; the first of them that is sent counts.',
      message: 'The transaction',
      answer: 'StatusRow',
      body: () => transactionBody(['transaction_code', 'reference', 'transaction_hash']),
      errors: ['not_found'],
    },
  },
  transactions: {
    method: 'POST',
    paths: ['/account/:currency/transactions', '/v1/transactions', '/v1/transactions/:currency'],
    key: 'consumer',
    scope: 'read',
    money: false,
    offer: null,
    document: {
      tag: 'Transactions',
      ids: ['listAccountTransactions', 'listTransactions', 'listTransactionsByCurrency'],
      summary: ['Transactions of a country', 'Transactions', 'Transactions in one currency'],
      description:
        'Rows of the days from `start_date` to `end_date` (UTC, both included; `end_date` at most 400 days after `start_date`), newest first. Where there are more than `limit`, `next_cursor` is not null: send it as `cursor`, with all else the same. ' +
        LISTS_IN_TURN,
      message: 'The transactions',
      answer: ['StatusRow'],
      body: ({ today }) => listBody(TRANSACTION_LIST_FIELDS, lastDays(today)),
    },
  },
} as const satisfies Operations;
