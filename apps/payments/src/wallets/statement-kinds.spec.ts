import { describe, expect, it } from '@jest/globals';
import { statementKind } from '@vuka/contracts';
import { POSTINGS, type Posting } from '@vuka/domain';

import { KINDS_OF_POSTINGS, statementKindOf } from './statement-kinds.js';

const isWallet = (account: string): boolean => account.startsWith('wallet:');

const SIDES = Object.fromEntries(
  Object.entries<Posting>(POSTINGS)
    .map(
      ([name, { legs }]) =>
        [
          name,
          [
            ...(legs.some(({ to }) => isWallet(to)) ? ['in'] : []),
            ...(legs.some(({ from }) => isWallet(from)) ? ['out'] : []),
          ],
        ] as const,
    )
    .filter(([, sides]) => sides.length > 0),
);

describe('what a posting is called in a statement', () => {
  it('is known of each that changes a wallet, on the sides on which it does, and of no other', () => {
    expect(Object.keys(SIDES).length).toBeGreaterThan(5);
    expect(
      Object.fromEntries(Object.entries(KINDS_OF_POSTINGS).map(([name, sides]) => [name, Object.keys(sides)])),
    ).toEqual(SIDES);
  });

  it('is a word that partners are told of, and each word is said of something', () => {
    const said = Object.values(KINDS_OF_POSTINGS).flatMap((sides) => Object.values(sides));
    expect([...new Set(said)].sort()).toEqual([...statementKind.options].sort());
  });

  it('tells what came in from what went out', () => {
    expect([statementKindOf('payout_reversed', 1n), statementKindOf('payout_reversed', -1n)]).toEqual([
      'reversal',
      'collected',
    ]);
    for (const [posting, amount] of [
      ['payout_held', 1n],
      ['deposit_received', 1n],
      ['payout_released', -1n],
      ['toString', 1n],
      ['', 1n],
    ] as const) {
      expect(() => statementKindOf(posting, amount)).toThrow('has no word');
    }
  });
});
