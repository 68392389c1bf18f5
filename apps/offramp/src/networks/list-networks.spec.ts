import { describe, expect, it } from '@jest/globals';
import { networkView } from '@vuka/contracts';
import { CHAINS, chainNamed, fail, ok, type Problem } from '@vuka/domain';

import type { DepositAddresses } from '../addresses/deposit-addresses.js';
import type { SwitchedOff } from '../switches/switch.store.js';
import { ListNetworks } from './list-networks.js';

const ADDRESS = '0x1111111111111111111111111111111111111111';
const PROBLEM: Problem = { code: 'service_unavailable', message: 'not now' };
const given = { ofPartner: async () => ok({ address: ADDRESS, since: new Date(0) }) };

const networks = (
  served: string[],
  addresses: Pick<DepositAddresses, 'ofPartner'> = given,
  off: readonly SwitchedOff[] = [],
): ListNetworks => new ListNetworks(addresses, new Set(served), { all: async () => off });
const off = (chain: string, asset: string | null): SwitchedOff => ({
  id: 1,
  chain,
  asset,
  reason: 'a test',
  offSince: new Date(0),
  offBy: 'Ann Otieno',
});

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

  it('has no address on the chains of a family whose addresses cannot be given, and all others have', async () => {
    const ofPartner: DepositAddresses['ofPartner'] = async (_partnerId, family) =>
      family === 'solana' ? fail(PROBLEM) : ok({ address: `of ${family}`, since: new Date(0) });
    const listed = await networks(['CELO', 'SOLANA', 'STELLAR'], { ofPartner }).of(1);
    if (!listed.ok) throw new Error('no list');
    const addresses = listed.value
      .filter(({ name }) => ['CELO', 'SOLANA', 'STELLAR'].includes(name))
      .map(({ name, settlement_wallet_address }) => [name, settlement_wallet_address]);
    expect(Object.fromEntries(addresses)).toEqual({ CELO: 'of evm', SOLANA: '', STELLAR: 'of stellar' });
  });

  it('gives no list where the address is in doubt', async () => {
    expect(await networks(['CELO'], { ofPartner: async () => fail(PROBLEM) }).of(1)).toEqual(fail(PROBLEM));
  });
});

describe('the list of chains', () => {
  it('has those that are served, and their accepted tokens', async () => {
    expect(await networks(['CELO']).chains()).toEqual([
      { name: 'CELO', assets: expect.arrayContaining(['USDC', 'USDT']) },
    ]);
  });
});

describe('what is switched off', () => {
  it('has no address to send to, while the rest of the chain and other chains continue', async () => {
    const list = networks(['CELO', 'BNB', 'BASE'], given, [off('BNB', null), off('CELO', 'USDT')]);
    const listed = await list.of(1);
    if (!listed.ok) throw new Error('no list');
    const named = (name: string) => listed.value.find((network) => network.name === name);
    expect(named('BNB')).toMatchObject({ settlement_wallet_address: '', checkout_status: false });
    expect(named('BNB')?.assets.every((asset) => !asset.checkout_status && asset.contract_address === '')).toBe(true);
    expect(named('CELO')).toMatchObject({ settlement_wallet_address: ADDRESS, checkout_status: true });
    expect(named('CELO')?.assets.find((asset) => asset.name === 'USDT')).toMatchObject({
      contract_address: '',
      checkout_status: false,
    });
    expect(named('CELO')?.assets.find((asset) => asset.name === 'USDC')).toMatchObject({ checkout_status: true });
    const served = await list.chains();
    expect(served.map(({ name }) => name)).toEqual(['BASE', 'CELO']);
    expect(served.find(({ name }) => name === 'CELO')?.assets).toEqual(expect.not.arrayContaining(['USDT']));
  });
});
