export * from './api-call.js';
export * from './api-client.js';
export * from './asked-refund.js';
export * from './chain-book.js';
export * from './chain-facts.js';
export * from './chromium.js';
export * from './check-orders.js';
export * from './check-outside.js';
export * from './check-refunds.js';
export * from './cuttable-link.js';
export * from './deposit-fate.js';
export * from './depth.js';
export * from './destinations.js';
export * from './earlier-folder.js';
export * from './expectation.js';
export * from './hostile-urls.js';
export * from './lend-vuka.js';
export * from './named-deposit.js';
export * from './node-rpc.js';
export * from './operator.js';
export * from './order-fate.js';
export * from './outside-checker.js';
export * from './outside-view.js';
export * from './rail-book.js';
export * from './partner-load.js';
export * from './partner-orders.js';
export { programFile } from './program-file.js';
export * from './rates-in-force.js';
export * from './read-chain-book.js';
export * from './refund-outflows.js';
export * from './sandbox-roads.js';
export * from './scene.js';
export * from './sent-order.js';
export * from './sent-payout.js';
export * from './solana-address.js';
export * from './stack-process.js';
export * from './start-vuka.js';
export * from './status-row.js';
export * from './until.js';
export {
  RUNNING_VUKAS,
  VukaProcess,
  type Death,
  type Environment,
  type SandboxPartner,
  type StartOptions,
} from './vuka-process.js';
export * from './watch-status.js';
export * from './webhook-receiver.js';
