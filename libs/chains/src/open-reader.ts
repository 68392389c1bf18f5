import type { Chain } from '@vuka/domain';

import type { ChainReader } from './reader/chain-reader.js';
import type { ReaderOptions } from './reader/create-reader.js';

/** Loads only its family's libraries (150 to 450 ms each). Throws BootError: see createReader. */
export async function openReader(options: ReaderOptions<Chain>): Promise<ChainReader> {
  const { chain } = options;
  switch (chain.family) {
    case 'evm': {
      const { createEvmReader } = await import('./evm/evm-reader.js');
      return createEvmReader({ ...options, chain });
    }
    case 'solana': {
      const { createSolanaReader } = await import('./solana/solana-reader.js');
      return createSolanaReader({ ...options, chain });
    }
    case 'stellar': {
      const { createStellarReader } = await import('./stellar/stellar-reader.js');
      return createStellarReader({ ...options, chain });
    }
  }
}
