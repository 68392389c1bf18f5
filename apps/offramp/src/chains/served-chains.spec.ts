import { describe, expect, it } from '@jest/globals';
import { loadSettings, type Settings } from '@vuka/config';
import { chainNamed, type Chain } from '@vuka/domain';
import { BootError } from '@vuka/runtime';

import { ScriptedReader } from '../testing/offramp.spec-support.js';
import { type OpenReader, ServedChains } from './served-chains.js';

function chainsOf(endpoints: Settings['chains']['endpoints'], open: OpenReader, agree = 1): ServedChains {
  return new ServedChains({ chains: { ...loadSettings({}).chains, agree, endpoints } }, open);
}

describe('the chains that are served', () => {
  it('have each its own reader, closed with them', async () => {
    const readers = new Map<string, ScriptedReader>();
    const served = chainsOf(
      { CELO: ['a', 'b'], SOLANA: ['c', 'd'] },
      async ({ chain, endpoints, agree }) => {
        expect([agree, endpoints.length]).toEqual([2, 2]);
        const reader = new ScriptedReader();
        readers.set(chain.name, reader);
        return reader;
      },
      2,
    );
    await served.open();
    expect([...served.keys()].sort()).toEqual(['CELO', 'SOLANA']);
    expect(served.get('CELO')?.chain.name).toBe('CELO');
    await served.close();
    expect([...readers.values()].map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  it.each(['mostPerUnit', 'mostCoinCents', 'coinDecimals'])(
    'do not start where the data of one lacks %s, and open nothing',
    async (lacking) => {
      const opened: string[] = [];
      const without = (name: string): Chain | undefined => {
        const chain = chainNamed(name);
        return chain && name === 'BNB' ? { ...chain, fees: { ...chain.fees, [lacking]: undefined } } : chain;
      };
      const opening = chainsOf({ CELO: ['a'], BNB: ['b'] }, async ({ chain }) => {
        opened.push(chain.name);
        return new ScriptedReader();
      }).open(without);
      await expect(opening).rejects.toThrow(`fees.${lacking}`);
      await expect(opening).rejects.toBeInstanceOf(BootError);
      expect(opened).toEqual([]);
    },
  );

  it('close everything if one of them is the wrong chain', async () => {
    const celo = new ScriptedReader();
    const opening = chainsOf({ CELO: ['a'], BNB: ['b'] }, async ({ chain }) =>
      chain.name === 'CELO' ? celo : Promise.reject(new Error('wrong chain')),
    ).open();
    await expect(opening).rejects.toThrow('wrong chain');
    expect(celo.isClosed).toBe(true);
  });
});
