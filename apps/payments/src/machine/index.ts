export { type TransactionTrigger, TransactionMachine } from './transaction-machine.js';
export { MachineModule } from './machine.module.js';
