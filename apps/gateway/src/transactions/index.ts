export { FindTransaction, type FindTransactionOptions } from './find-transaction.js';
export {
  ListTransactions,
  type ListTransactionsOptions,
  type Page,
  TRANSACTION_LIST_FIELDS,
} from './list-transactions.js';
export { logFields, pageFields, readLogPage, readPage, readTimes, timesFields } from './page-request.js';
export { TransactionsController } from './transactions.controller.js';
