import type { Chain, EvmChain } from '@vuka/domain';

import type { SandboxChain } from './sandbox-chain.js';
import type { SandboxHands } from './sandbox-hands.js';

/** Loads only the family's libraries. */
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

/** Also installs tokens on the node. */
export async function openEvmSandbox(chain: EvmChain, url: string): Promise<SandboxChain> {
  return new (await import('./sandbox-chain.js')).SandboxChain(chain, url);
}
