import { describe, expect, it } from '@jest/globals';
import { loadSettings } from '@vuka/config';
import { chainNamed, type Chain } from '@vuka/domain';
import { BootError } from '@vuka/runtime';

import { ScriptedReader } from '../testing/offramp.spec-support.js';
import { ServedChains } from './served-chains.js';

const settings = { ...loadSettings({}).chains, agree: 1 };

describe('the chains that are served', () => {
  it('have each its own reader, closed with them', async () => {
    const readers = new Map<string, ScriptedReader>();
    const served = await ServedChains.open(
      { ...settings, agree: 2, endpoints: { CELO: ['a', 'b'], SOLANA: ['c', 'd'] } },
      async ({ chain, endpoints, agree }) => {
        expect([agree, endpoints.length]).toEqual([2, 2]);
        const reader = new ScriptedReader();
        readers.set(chain.name, reader);
        return reader;
      },
    );
    expect([...served.names].sort()).toEqual(['CELO', 'SOLANA']);
    expect(served.byName.get('CELO')?.chain.name).toBe('CELO');
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
      const opening = ServedChains.open(
        { ...settings, endpoints: { CELO: ['a'], BNB: ['b'] } },
        async ({ chain }) => {
          opened.push(chain.name);
          return new ScriptedReader();
        },
        without,
      );
      await expect(opening).rejects.toThrow(`fees.${lacking}`);
      await expect(opening).rejects.toBeInstanceOf(BootError);
      expect(opened).toEqual([]);
    },
  );

  it('leave nothing open where one of them is the wrong chain', async () => {
    const celo = new ScriptedReader();
    const opening = ServedChains.open({ ...settings, endpoints: { CELO: ['a'], BNB: ['b'] } }, async ({ chain }) =>
      chain.name === 'CELO' ? celo : Promise.reject(new Error('wrong chain')),
    );
    await expect(opening).rejects.toThrow('wrong chain');
    expect(celo.isClosed).toBe(true);
  });
});
