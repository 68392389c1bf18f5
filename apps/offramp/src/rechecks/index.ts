export { ChainLooks } from './chain-looks.js';
export { RecheckDeposits } from './recheck-deposits.js';
export { RecordReversal } from './record-reversal.js';
export { WatchReturns } from './watch-returns.js';
