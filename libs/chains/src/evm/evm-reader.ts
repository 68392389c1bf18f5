import type { ChainReader } from '../reader/chain-reader.js';
import { createReader, type ReaderOptions } from '../reader/create-reader.js';

import { EvmEndpoint, type EvmChainFacts } from './evm-endpoint.js';

export type { EvmChainFacts } from './evm-endpoint.js';

const HASH = /^0x[0-9a-f]{64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Throws BootError: see createReader. */
export function createEvmReader(options: ReaderOptions<EvmChainFacts>): Promise<ChainReader> {
  return createReader(options, {
    identity: ({ chainId }) => String(chainId),
    // 10,000 transfers make a receipt of 6 MB; a block full of transfers to us has 17 MB of logs.
    longestBytes: {
      eth_getTransactionReceipt: 8 * 1024 * 1024,
      eth_getLogs: 32 * 1024 * 1024,
      eth_getBlockByNumber: 2 * 1024 * 1024,
    },
    isTransactionId: (text) => HASH.test(text),
    isAddress: (text) => ADDRESS.test(text),
    endpoint: (parts) => new EvmEndpoint(parts),
  });
}
