import type { ChainFamily } from '@vuka/domain';

import type { OutgoingOptions, OutgoingTransfers, TransferSigner } from './outgoing.js';

/** Loads the family's module only now. */
export async function openOutgoing(options: OutgoingOptions): Promise<OutgoingTransfers> {
  switch (options.chain.family) {
    case 'evm':
      return (await import('./evm/outgoing.js')).evmOutgoing({ ...options, chain: options.chain });
    case 'stellar':
      return (await import('./stellar/outgoing.js')).stellarOutgoing({ ...options, chain: options.chain });
    case 'solana':
      return (await import('./solana/outgoing.js')).solanaOutgoing({ ...options, chain: options.chain });
  }
}

export async function transferSigner(family: ChainFamily): Promise<TransferSigner> {
  switch (family) {
    case 'evm':
      return (await import('./evm/transfer-signer.js')).EVM_TRANSFER_SIGNER;
    case 'stellar':
      return (await import('./stellar/transfer-signer.js')).STELLAR_TRANSFER_SIGNER;
    case 'solana':
      return (await import('./solana/transfer-signer.js')).SOLANA_TRANSFER_SIGNER;
  }
}
