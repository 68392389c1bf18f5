import { describe, expect, it } from '@jest/globals';
import { networkView } from '@vuka/contracts';
import { CHAINS, chainNamed, fail, ok, type Problem } from '@vuka/domain';

import type { DepositAddresses } from './deposit-addresses.js';
import { ListNetworks } from './list-networks.js';

const ADDRESS = '0x1111111111111111111111111111111111111111';
const PROBLEM: Problem = { code: 'service_unavailable', message: 'not now' };
const given = { ofPartner: async () => ok({ address: ADDRESS, since: new Date(0) }) };

const networks = (served: string[], addresses: Pick<DepositAddresses, 'ofPartner'> = given): ListNetworks => new ListNetworks(addresses, new Set(served));

describe('the list of networks', () => {
  it('names every chain once, with the tokens accepted on it', async () => {
    const listed = await networks(['CELO']).of(1);
    if (!listed.ok) throw new Error('no list');
    expect(listed.value.map(({ name }) => name).sort()).toEqual(CHAINS.map(({ name }) => name).sort());
    for (const network of listed.value) expect(networkView.parse(network).assets.length).toBeGreaterThan(0);
  });

  it('gives the partner its address and the contracts where a chain is served, and nowhere else anything to send to', async () => {
    const listed = await networks(['CELO', 'BNB']).of(1);
    if (!listed.ok) throw new Error('no list');
    for (const { name, settlement_wallet_address, checkout_status, assets } of listed.value) {
      const isServed = name === 'CELO' || name === 'BNB';
      expect([settlement_wallet_address, checkout_status]).toEqual(isServed ? [ADDRESS, true] : ['', false]);
      for (const asset of assets) {
        const contract = chainNamed(name)?.tokens.find(({ symbol }) => symbol === asset.name)?.address;
        expect([asset.contract_address, asset.checkout_status]).toEqual(isServed ? [contract, true] : ['', false]);
      }
    }
  });

  it('makes nobody an address where nothing is served', async () => {
    const ofPartner = async (): Promise<never> => Promise.reject(new Error('asked for an address'));
    expect((await networks([], { ofPartner }).of(1)).ok).toBe(true);
  });

  it('gives no list where the address is in doubt', async () => {
    expect(await networks(['CELO'], { ofPartner: async () => fail(PROBLEM) }).of(1)).toEqual(fail(PROBLEM));
  });
});

describe('the list of chains', () => {
  it('has those that are served, and their accepted tokens', () => {
    expect(networks(['CELO']).chains()).toEqual([{ name: 'CELO', assets: expect.arrayContaining(['USDC', 'USDT']) }]);
  });
});
