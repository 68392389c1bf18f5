import { describe, expect, it } from '@jest/globals';

import { acceptedTokenNamed, acceptedTokens, tokenAsset, tokenAt, type EvmChain } from './chain.js';
import { CHAINS, chainNamed, DEFAULT_CHAIN, EVM_CHAINS } from './registry.js';

const chainOf = (name: string): (typeof CHAINS)[number] => {
  const chain = chainNamed(name);
  if (chain === undefined) throw new Error(name);
  return chain;
};

// By hand from chains.md section 1.
const ACCEPTED: readonly (readonly [string, number | null, readonly (readonly [string, number, string, string])[]])[] =
  [
    [
      'ETHEREUM',
      1,
      [
        ['USDC', 6, '0xA0b8', 'eB48'],
        ['USDT', 6, '0xdAC1', '1ec7'],
      ],
    ],
    ['BASE', 8453, [['USDC', 6, '0x8335', '2913']]],
    [
      'CELO',
      42220,
      [
        ['USDC', 6, '0xcebA', '118C'],
        ['USDT', 6, '0x4806', '3D5e'],
        ['CUSD', 18, '0x765D', '282a'],
      ],
    ],
    [
      'POLYGON',
      137,
      [
        ['USDC', 6, '0x3c49', '3359'],
        ['USDT', 6, '0xc213', '8e8F'],
      ],
    ],
    [
      'BNB',
      56,
      [
        ['USDT', 18, '0x55d3', '7955'],
        ['USDC', 18, '0x8AC7', '580d'],
      ],
    ],
    [
      'AVALANCHE',
      43114,
      [
        ['USDC', 6, '0xB97E', '8a6E'],
        ['USDT', 6, '0x9702', 'A8c7'],
      ],
    ],
    [
      'ARBITRUM',
      42161,
      [
        ['USDC', 6, '0xaf88', '5831'],
        ['USDT', 6, '0xFd08', 'Cbb9'],
      ],
    ],
    [
      'SOLANA',
      null,
      [
        ['USDC', 6, 'EPjF', 'Dt1v'],
        ['USDT', 6, 'Es9v', 'wNYB'],
      ],
    ],
    ['STELLAR', null, [['USDC', 7, 'GA5Z', 'KZVN']]],
  ];

describe('CHAINS', () => {
  it.each(ACCEPTED)('%s (%j) accepts %j', (name, chainId, accepted) => {
    const chain = chainOf(name);
    expect(chain.family === 'evm' ? chain.chainId : null).toBe(chainId);
    expect(
      acceptedTokens(chain).map(({ symbol, decimals, address }) => [
        symbol,
        decimals,
        address.slice(0, chainId === null ? 4 : 6),
        address.slice(-4),
      ]),
    ).toEqual(accepted);
  });

  it('are these nine, of which seven are read alike', () => {
    expect(CHAINS.map(({ name }) => name).sort()).toEqual(ACCEPTED.map(([name]) => name).sort());
    expect(EVM_CHAINS).toHaveLength(7);
    expect(new Set(EVM_CHAINS.map(({ chainId }) => chainId)).size).toBe(7);
    expect(DEFAULT_CHAIN).toBe('CELO');
    expect(chainNamed('celo')).toBeUndefined();
    expect(chainNamed('__proto__')).toBeUndefined();
  });

  it('send back what is worth more than its transfer costs us', () => {
    const least = Object.fromEntries(CHAINS.map(({ name, leastRefundCents }) => [name, leastRefundCents]));
    expect(least).toEqual({
      ETHEREUM: 500n,
      SOLANA: 50n,
      STELLAR: 1n,
      BASE: 10n,
      CELO: 10n,
      POLYGON: 10n,
      BNB: 10n,
      AVALANCHE: 10n,
      ARBITRUM: 10n,
    });
  });

  it.each(CHAINS.map((chain) => [chain.name, chain] as const))(
    '%s: no address stands for two things, and no symbol or alias',
    (_, chain) => {
      const addresses = [...chain.tokens, ...chain.lookalikes].map(({ address }) =>
        chain.family === 'evm' ? address.toLowerCase() : address,
      );
      expect(new Set(addresses).size).toBe(addresses.length);
      const symbols = chain.tokens.flatMap(({ symbol, aliases }) => [symbol, ...aliases]);
      expect(new Set(symbols).size).toBe(symbols.length);
      for (const { symbol } of chain.lookalikes) expect(acceptedTokenNamed(chain, symbol)).toBeUndefined();
    },
  );

  // libs/chains tests the checksum itself.
  it.each(CHAINS.map((chain) => [chain.name, chain] as const))(
    '%s: each address has the form of its family, and each token its sources',
    (_, chain) => {
      const form = { evm: /^0x[0-9a-fA-F]{40}$/, solana: /^[1-9A-HJ-NP-Za-km-z]{43,44}$/, stellar: /^G[A-Z2-7]{55}$/ }[
        chain.family
      ];
      for (const { address, sources } of [...chain.tokens, ...chain.lookalikes]) {
        expect(address).toMatch(form);
        if (chain.family === 'evm') expect(address).toMatch(/[A-F]/);
        expect(sources.length).toBeGreaterThan(0);
      }
      for (const token of acceptedTokens(chain)) {
        expect(token.sources.length).toBeGreaterThan(1);
        expect(tokenAsset(chain, token)).toMatch(/^[A-Za-z0-9._+-]{1,20}@[A-Z]{1,20}$/);
      }
    },
  );
});

describe('tokenAt', () => {
  it('knows an EVM address in any letter case, and a base58 one in its own alone', () => {
    const [celo, solana] = [chainOf('CELO'), chainOf('SOLANA')];
    const [usdc] = celo.tokens;
    for (const spelt of [usdc?.address, usdc?.address.toLowerCase(), `0x${usdc?.address.slice(2).toUpperCase() ?? ''}`])
      expect(tokenAt(celo, spelt ?? '')).toBe(usdc);
    const mint = solana.tokens[0]?.address ?? '';
    expect(tokenAt(solana, mint)).toBe(solana.tokens[0]);
    expect(tokenAt(solana, mint.toLowerCase())).toBeUndefined();
  });

  it('knows one that is not accepted, and no lookalike', () => {
    const base = chainOf('BASE') as EvmChain;
    expect(tokenAt(base, '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2')).toMatchObject({
      symbol: 'USDT',
      enabled: false,
    });
    for (const { address } of base.lookalikes) expect(tokenAt(base, address)).toBeUndefined();
  });
});
