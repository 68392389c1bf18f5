export { CONSUMER_GROUP } from './consumer-group.js';
export { CreditDeposit } from './credit-deposit.js';
export { DepositConsumer } from './deposit.consumer.js';
export { RecordReversal } from './record-reversal.js';
export { EVENTS_AT_ONCE, RecordVerdict } from './record-verdict.js';
export { DepositsModule } from './deposits.module.js';
