import { describe, expect, it } from '@jest/globals';

import { isWorthSending } from './chain-facts.js';

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
