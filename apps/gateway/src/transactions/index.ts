export { type Page, TRANSACTION_LIST_FIELDS } from './list-transactions.js';
export { logFields, pageFields, readLogPage, readPage, readTimes, timesFields } from './page-request.js';
export { TransactionsModule } from './transactions.module.js';
export { LISTS_IN_TURN, TRANSACTION_ANSWERS, TRANSACTION_OPERATIONS } from './transactions.operations.js';
