import { createHash } from 'node:crypto';

/**
 * How much a test run does. `commit`: every behaviour, and of repetitions (crash points, seeds, rounds, profiles) a
 * random draw. `whole`: everything.
 */
export type Depth = 'commit' | 'whole';

/** tools/test/test.mjs sets both. */
const DEPTH = 'VUKA_TEST_DEPTH';
const DRAW = 'VUKA_TEST_DRAW';

export function testDepth(env: Readonly<Record<string, string | undefined>> = process.env): Depth {
  const named = env[DEPTH] ?? 'commit';
  if (named !== 'commit' && named !== 'whole') throw new Error(`${DEPTH} must be commit or whole`);
  return named;
}

export function atDepth<T>(by: Readonly<Record<Depth, T>>): T {
  return by[testDepth()];
}

/**
 * All in a whole run, else `count` in their order, drawn by VUKA_TEST_DRAW (0 if unset) and `label`.
 * The same number repeats a failure; different labels draw independently.
 */
export function drawn<T>(label: string, all: readonly T[], count: number): readonly T[] {
  if (testDepth() === 'whole' || count >= all.length) return all;
  const rank = (at: number): string =>
    createHash('sha256')
      .update(`${process.env[DRAW] ?? '0'}:${label}:${at}`)
      .digest('hex');
  const chosen = new Set(
    all
      .map((_, at) => ({ at, rank: rank(at) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1))
      .slice(0, count)
      .map(({ at }) => at),
  );
  return all.filter((_, at) => chosen.has(at));
}
