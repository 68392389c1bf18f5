export { assertXpub, checksumAddress, deriveEvmAddress, XpubError } from './address/evm-address.js';
export type { ChainHealth, DepositReader, EndpointState } from './deposit-reader.js';
export type { EvmChainFacts } from './evm/evm-endpoint.js';
export { createEvmReader, type EvmReader, type EvmReaderOptions } from './evm/evm-reader.js';
