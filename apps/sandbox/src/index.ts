export { type DepositSources, ensureDepositSources } from './chains/deposit-keys.js';
export { ensureRefundWallets } from './chains/refund-wallets.js';
export { SandboxChains } from './chains/sandbox-chains.js';
export { type ExampleDeposit, exampleDeposit } from './example/example-deposit.js';
export { type ExampleFacts, exampleLines } from './example/example-lines.js';
export * from './providers/index.js';
