import type { NetworkView } from '@vuka/contracts';

/** The chains of the interface and the dollar stablecoins accepted on each by default. */
export const NETWORKS = [
  { name: 'CELO', assets: ['USDC', 'USDT'] },
  { name: 'BASE', assets: ['USDC'] },
  { name: 'ETHEREUM', assets: ['USDC', 'USDT'] },
  { name: 'POLYGON', assets: ['USDC', 'USDT'] },
  { name: 'ARBITRUM', assets: ['USDC', 'USDT'] },
  { name: 'AVALANCHE', assets: ['USDC', 'USDT'] },
  { name: 'BNB', assets: ['USDC', 'USDT'] },
  { name: 'SOLANA', assets: ['USDC', 'USDT'] },
  { name: 'STELLAR', assets: ['USDC'] },
] as const satisfies readonly { readonly name: string; readonly assets: readonly string[] }[];

/**
 * The networks as a partner sees them. None is enabled: a network that is not has no address and no contract to
 * send to (decisions.md section 2: `""` and false).
 */
export class ListNetworks {
  all(): NetworkView[] {
    return NETWORKS.map(({ name, assets }) => ({
      name,
      icon: '',
      settlement_wallet_address: '',
      checkout_status: false,
      assets: assets.map((asset) => ({ name: asset, icon: '', contract_address: '', checkout_status: false })),
    }));
  }
}
