import { createHash } from 'node:crypto';

/**
 * How much a run of the tests takes on. `commit`: every behaviour, and of what is only repetition (places to die at, seeds, rounds, the same
 * suite on the other profile) a draw that is another one each time; bounded so that every change can wait for it. `whole`: all of it.
 */
export type Depth = 'commit' | 'whole';

/** Which run this is; tools/test/test.mjs sets both. */
const DEPTH = 'VUKA_TEST_DEPTH';
const DRAW = 'VUKA_TEST_DRAW';

/** `commit` unless VUKA_TEST_DEPTH says `whole`. */
export function testDepth(env: Readonly<Record<string, string | undefined>> = process.env): Depth {
  const named = env[DEPTH] ?? 'commit';
  if (named !== 'commit' && named !== 'whole') throw new Error(`${DEPTH} must be commit or whole`);
  return named;
}

/** How many rounds, examples, payouts: by the depth of this run. */
export function atDepth<T>(by: Readonly<Record<Depth, T>>): T {
  return by[testDepth()];
}

/**
 * All of them in a whole run; else `count`, in their order, drawn by the run's number (VUKA_TEST_DRAW, 0 where nobody drew one) and `label`, so
 * that the draws of two suites have nothing to do with each other, and a failure is found again by the number.
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
