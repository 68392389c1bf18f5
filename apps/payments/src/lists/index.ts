export { ListTransactions } from './list-transactions.js';
export { LIST_TIMEOUT_MS, LISTS_AT_ONCE, ListTurns } from './list-turns.js';
export { type ListScope, PageCursors } from './page-cursor.js';
export { ListsModule } from './lists.module.js';
export { TransactionHandlers } from './transaction-handlers.js';
