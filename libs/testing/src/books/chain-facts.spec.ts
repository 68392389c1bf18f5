import { describe, expect, it } from '@jest/globals';

import { blocksOnTop, CHAIN_FACTS, isWorthSending } from './chain-facts.js';

describe('isWorthSending', () => {
  it.each([
    ['ETHEREUM', 6, 5_000_000n],
    ['SOLANA', 6, 500_000n],
    ['STELLAR', 7, 100_000n],
    ['CELO', 6, 100_000n],
    ['BNB', 18, 10n ** 17n],
  ])('on %s with %d decimals from %d on', (chain, decimals, least) => {
    expect([isWorthSending(chain, least, decimals), isWorthSending(chain, least - 1n, decimals)]).toEqual([
      true,
      false,
    ]);
  });
});

describe('what is known of chains', () => {
  it.each(Object.keys(CHAIN_FACTS))('%s: tokens are told apart by address, and more value needs no less', (name) => {
    const { tokens, blocksOnTop: blocks } = CHAIN_FACTS[name]!;
    expect(new Set(tokens.map(({ address }) => address.toLowerCase())).size).toBe(tokens.length);
    expect([...blocks].sort((one, other) => one - other)).toEqual(blocks);
  });

  it('counts dollars up, to the cent', () => {
    expect(
      [100_000_000n, 100_000_001n, 2_000_000_000n, 2_000_000_001n].map((minor) => blocksOnTop('POLYGON', minor, 6)),
    ).toEqual([2, 16, 16, 128]);
  });
});
