import type { ChainBalances } from './balances.js';
import type { OutgoingOptions } from './outgoing.js';

/** Loads the family's module only now. */
export async function openBalances({ chain, ...options }: OutgoingOptions): Promise<ChainBalances> {
  switch (chain.family) {
    case 'evm':
      return (await import('./evm/balances.js')).evmBalances({ ...options, chain });
    case 'solana':
      return (await import('./solana/balances.js')).solanaBalances({ ...options, chain });
    case 'stellar':
      return (await import('./stellar/balances.js')).stellarBalances({ ...options, chain });
  }
}
