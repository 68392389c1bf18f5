export * from './partner/api-call.js';
export * from './partner/api-client.js';
export * from './partner/asked-refund.js';
export * from './books/chain-book.js';
export * from './books/chain-facts.js';
export { chromiumFor, visitPage, type Visit, type VisitOptions } from './browser-visit.js';
export * from './chromium.js';
export * from './checker/check-orders.js';
export * from './checker/check-outside.js';
export * from './checker/check-refunds.js';
export * from './processes/cuttable-link.js';
export * from './checker/deposit-fate.js';
export * from './depth.js';
export * from './destinations.js';
export * from './processes/earlier-folder.js';
export * from './checker/expectation.js';
export * from './hostile-urls.js';
export * from './low-contrast.js';
export * from './processes/lend-vuka.js';
export * from './partner/named-deposit.js';
export * from './books/node-rpc.js';
export * from './processes/operator.js';
export * from './checker/order-fate.js';
export * from './checker/outside-checker.js';
export * from './checker/outside-view.js';
export * from './books/provider-book.js';
export * from './partner/partner-load.js';
export * from './partner/partner-orders.js';
export { programFile } from './processes/program-file.js';
export * from './books/rates-in-force.js';
export * from './books/read-chain-book.js';
export * from './books/refund-outflows.js';
export * from './checker/sandbox-paths.js';
export * from './processes/fixture.js';
export * from './partner/sent-order.js';
export * from './partner/sent-payout.js';
export * from './books/solana-address.js';
export * from './processes/stack-process.js';
export * from './processes/start-vuka.js';
export * from './partner/status-row.js';
export * from './until.js';
export {
  RUNNING_VUKAS,
  VukaProcess,
  type Death,
  type Environment,
  type SandboxPartner,
  type StartOptions,
} from './processes/vuka-process.js';
export * from './partner/watch-status.js';
export * from './partner/webhook-receiver.js';
