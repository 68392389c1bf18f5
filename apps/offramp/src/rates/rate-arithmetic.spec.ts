import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { above, apartBasisPoints, below, parseExact } from './rate-arithmetic.js';

const exact = (text: string): bigint => parseExact(text) ?? -1n;

describe('a rate and our spread', () => {
  it.each([
    ['129.35', 100, '128.0565', '130.6435'],
    ['129.35', 0, '129.35', '129.35'],
    ['1', 75, '0.9925', '1.0075'],
    ['3560', 33, '3548.252', '3571.748'],
    ['0.000001', 1, '0', '0.000002'],
    ['1465.123456789', 0, '1465.123456', '1465.123457'],
  ])('%s with %d basis points: we give %s and take %s', (mid, points, buying, selling) => {
    expect([below(exact(mid), points), above(exact(mid), points)]).toEqual([buying, selling]);
  });

  it('never gives more than the middle, nor takes less, and never loses the point to the rounding of the other side', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 10n ** 16n, max: 10n ** 24n }),
        fc.integer({ min: 0, max: 2_000 }),
        (mid, points) => {
          const [buying, selling] = [exact(below(mid, points)), exact(above(mid, points))];
          expect(buying <= mid && mid <= selling).toBe(true);
          const fair = (mid * BigInt(10_000 - points)) / 10_000n;
          expect(fair - buying < 10n ** 12n).toBe(true);
        },
      ),
    );
  });

  it('reads decimals exactly and nothing else', () => {
    expect([exact('129.35'), exact('0.000000000000000001')]).toEqual([129_350_000_000_000_000_000n, 1n]);
    for (const text of ['', '0', '0.000', '-1', '1e3', '1.0000000000000000001', 'NaN'])
      expect(parseExact(text)).toBeNull();
  });

  it('says how far apart two are, in basis points of the first, rounded up', () => {
    expect([
      apartBasisPoints(100n, 100n),
      apartBasisPoints(100n, 105n),
      apartBasisPoints(100n, 95n),
      apartBasisPoints(10_000n, 10_001n),
      apartBasisPoints(30_000n, 30_001n),
    ]).toEqual([0n, 500n, 500n, 1n, 1n]);
  });
});
