export { assertXpub, checksumAddress, deriveEvmAddress, XpubError } from './address/evm-address.js';
export type { ChainHealth, DepositReader, EndpointState } from './deposit-reader.js';
export type { EvmChainFacts } from './evm/evm-endpoint.js';
export { createEvmReader, type EvmReader, type EvmReaderOptions } from './evm/evm-reader.js';
export { accountXpub, newMnemonic } from './sandbox/deposit-keys.js';
export { SANDBOX_PAYER, SandboxChain, type SandboxTransfer, type SentTransfer } from './sandbox/sandbox-chain.js';
export { SandboxNodeError } from './sandbox/anvil-client.js';
