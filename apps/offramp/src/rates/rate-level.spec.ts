import { describe, expect, it } from '@jest/globals';

import { nextLevel, type RateLevel } from './rate-level.js';

const RULES = { maxStepBasisPoints: 500, stepStandsMs: 600_000 };
const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 21, 10) + seconds * 1_000);

function after(...readings: readonly (readonly [seconds: number, mid: bigint])[]): [bigint, number, bigint | null] {
  let level: RateLevel | null = null;
  for (const [seconds, mid] of readings) level = nextLevel(level, mid, at(seconds), RULES);
  if (level === null) throw new Error('no reading');
  return [level.mid, (level.at.getTime() - at(0).getTime()) / 1_000, level.candidate?.mid ?? null];
}

describe('the level of a rate', () => {
  it('is the first reading, and follows those within the step', () => {
    expect(after([0, 10_000n])).toEqual([10_000n, 0, null]);
    expect(after([0, 10_000n], [10, 10_500n])).toEqual([10_500n, 10, null]);
  });

  it('stays, unconfirmed, where a reading jumps', () => {
    expect(after([0, 10_000n], [10, 10_501n])).toEqual([10_000n, 0, 10_501n]);
    expect(after([0, 10_000n], [10, 9_499n], [20, 9_499n])).toEqual([10_000n, 0, 9_499n]);
  });

  it('forgets a glitch as soon as the readings are near again', () => {
    expect(after([0, 10_000n], [10, 99_999n], [20, 10_001n])).toEqual([10_001n, 20, null]);
  });

  it('believes a jump that has stood for its time, also where it moves a little meanwhile', () => {
    expect(after([0, 10_000n], [10, 12_000n], [300, 12_100n], [609, 12_050n])).toEqual([10_000n, 0, 12_050n]);
    expect(after([0, 10_000n], [10, 12_000n], [300, 12_100n], [610, 12_050n])).toEqual([12_050n, 610, null]);
  });

  it('counts anew where the jump jumps', () => {
    expect(after([0, 10_000n], [10, 12_000n], [605, 15_000n], [700, 15_000n])).toEqual([10_000n, 0, 15_000n]);
  });

  it('is not changed by a reading from before its own', () => {
    expect(after([10, 10_000n], [5, 10_100n], [10, 10_200n])).toEqual([10_000n, 10, null]);
  });
});
