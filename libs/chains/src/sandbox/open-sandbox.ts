import type { Chain, EvmChain } from '@vuka/domain';

import type { SandboxChain } from './sandbox-chain.js';
import type { SandboxHands } from './sandbox-hands.js';

/** Loads what the chain's family needs, and nothing of the others. */
export async function openSandboxHands(chain: Chain, url: string): Promise<SandboxHands> {
  switch (chain.family) {
    case 'evm':
      return openEvmSandbox(chain, url);
    case 'solana':
      return new (await import('./solana/sandbox-solana.js')).SandboxSolana(chain, url);
    case 'stellar':
      return new (await import('./stellar/sandbox-stellar.js')).SandboxStellar(chain, url);
  }
}

/** The same of an EVM chain, whose node is somebody else's program: what puts the tokens there as well. */
export async function openEvmSandbox(chain: EvmChain, url: string): Promise<SandboxChain> {
  return new (await import('./sandbox-chain.js')).SandboxChain(chain, url);
}
