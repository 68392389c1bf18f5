import { describe, expect, it } from '@jest/globals';
import { networkView } from '@vuka/contracts';

import { ListNetworks } from './list-networks.js';

describe('the list of networks', () => {
  const networks = new ListNetworks().all();

  it('names the nine chains of the interface once each', () => {
    expect(networks.map(({ name }) => name).sort()).toEqual([
      'ARBITRUM',
      'AVALANCHE',
      'BASE',
      'BNB',
      'CELO',
      'ETHEREUM',
      'POLYGON',
      'SOLANA',
      'STELLAR',
    ]);
  });

  it('offers nobody an address or a contract to send to', () => {
    for (const network of networks) {
      expect(networkView.parse(network)).toMatchObject({ settlement_wallet_address: '', checkout_status: false });
      expect(network.assets.length).toBeGreaterThan(0);
      for (const asset of network.assets) expect(asset).toMatchObject({ contract_address: '', checkout_status: false });
    }
  });
});
