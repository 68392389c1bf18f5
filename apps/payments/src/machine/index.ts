export { type Happening, TransactionMachine } from './transaction-machine.js';
