import { readStellarAddress } from '../address/stellar-address.js';
import type { ChainReader } from '../reader/chain-reader.js';
import { createReader, type ReaderOptions } from '../reader/create-reader.js';

import { LONGEST_BYTES } from './horizon.js';

import { StellarEndpoint, type StellarChainFacts } from './stellar-endpoint.js';

export type { StellarChainFacts } from './stellar-endpoint.js';

const HASH = /^[0-9a-f]{64}$/;

/**
 * Our addresses: M… per partner; the G… account gets what is routed to nobody (chains.md section 3.4). Throws
 * BootError: see createReader.
 */
export function createStellarReader(options: ReaderOptions<StellarChainFacts>): Promise<ChainReader> {
  return createReader(options, {
    identity: ({ networkPassphrase }) => networkPassphrase,
    longestBytes: LONGEST_BYTES,
    isTransactionId: (text) => HASH.test(text),
    isAddress: (text) => readStellarAddress(text).ok,
    endpoint: (parts) => new StellarEndpoint(parts),
  });
}
