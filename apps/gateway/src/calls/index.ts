export { InTurn, QueueFullError } from './in-turn.js';
export { jsonNumber } from './json-number.js';
export { commit, commitOrder, commitRefund, isOpenOutcome, read } from './service-call.js';
export { WALLET_CURRENCY } from './wallet-currency.js';
export { DATABASE_WAIT_MS, withTimeout } from './with-timeout.js';
