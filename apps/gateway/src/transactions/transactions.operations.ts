import { lastDays, listBody, type Operations, transactionBody } from '../operations/index.js';
import { TRANSACTION_LIST_FIELDS } from './list-transactions.js';

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
