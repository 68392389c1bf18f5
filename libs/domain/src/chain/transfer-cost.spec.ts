import { describe, expect, it } from '@jest/globals';

import { CHAINS, chainNamed } from './registry.js';
import { CHAIN_SOURCES } from './sources.js';
import { chainFault, costCents, leastWorth } from './transfer-cost.js';

const USDC = { decimals: 6 };

describe('what a transfer may cost', () => {
  it.each(CHAINS.map((chain) => [chain.name, chain] as const))(
    '%s has a gas cap in its data, and a bound on the price of its native coin, with where it is from',
    (_, chain) => {
      expect(chainFault(chain)).toBeNull();
      expect(chain.fees.mostPerUnit).toBeGreaterThan(0n);
      expect(chain.fees.mostCoinCents).toBeGreaterThan(0n);
      expect(chain.fees.coinDecimals).toBe({ evm: 18, solana: 9, stellar: 7 }[chain.family]);
      expect(CHAIN_SOURCES[chain.fees.source]).toMatch(/20\d\d-\d\d-\d\d/);
    },
  );

  it('names what a chain lacks', () => {
    const { name, fees } = CHAINS[0]!;
    expect(chainFault({ name })).toBe(`${name} has no cap on what is bid for gas (fees.mostPerUnit)`);
    expect(chainFault({ name, fees: { ...fees, mostPerUnit: 0n } })).toContain('no cap on what is bid for gas');
    expect(chainFault({ name, fees: { ...fees, mostCoinCents: 0n } })).toContain('no bound on the price');
    expect(chainFault({ name, fees: { mostPerUnit: 1n, mostCoinCents: 1n } })).toContain('decimals');
  });

  it('is told in cents, rounded up', () => {
    const ethereum = chainNamed('ETHEREUM')!;
    expect(costCents(ethereum, 0n)).toBe(0n);
    expect(costCents(ethereum, 1n)).toBe(1n);
    expect(costCents(ethereum, 10n ** 18n)).toBe(600_000n);
  });

  // By hand: 0.00204 SOL × 400 dollars; 0.003485 ETH × 6,000 dollars.
  it.each([
    ['SOLANA', 2_040_000n, 4_080_000n],
    ['SOLANA', 12_500n, 25_000n],
    ['ETHEREUM', 85_000n * 41n * 10n ** 9n, 104_550_000n],
    ['STELLAR', 1_000n, 600n],
  ])(
    'follows from the bid in force: on %s a transfer for %d of the native coin is made by itself for %d of USDC and more',
    (name, costMinor, least) => {
      expect(leastWorth(chainNamed(name)!, USDC, costMinor)).toBe(least);
      expect(leastWorth(chainNamed(name)!, USDC, 2n * costMinor)).toBe(2n * least);
    },
  );

  it('is rounded up in the minor units of any token', () => {
    expect(leastWorth(chainNamed('BNB')!, { decimals: 18 }, 1n)).toBe(9_000n);
    expect(leastWorth(chainNamed('STELLAR')!, { decimals: 6 }, 1n)).toBe(1n);
  });
});
