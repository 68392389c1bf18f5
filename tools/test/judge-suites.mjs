/** Found by the checker from outside (suites bear its first words, too), by the ledger's own or by who looks for every 200: whatever comes of another try, this has happened. */
const ABOUT_MONEY = /seen from outside, \d+ faults|The ledger is|was accepted and lost/;
/** More that failed are no accident of a busy machine. */
export const MOST_TRIED_AGAIN = 3;

/** Suites of a try that failed and are worth another, alone; none where money was found wrong, or where too many failed. */
export function worthAnotherTry({ failures, timedOut }) {
  const isWorthIt =
    !timedOut && failures.length <= MOST_TRIED_AGAIN && !failures.some(({ messages }) => ABOUT_MONEY.test(messages));
  return isWorthIt ? failures : [];
}

/**
 * What a phase comes to whose suites `again` failed beside others and were run once more, alone. Where they pass alone they are unsteady, and told by name.
 * Only of a phase that is pure they then count as passed: where a database, a chain or a provider takes part, what failed once may happen to money.
 */
export function judgeSecondTry({ first, second, again, isPure }) {
  if (second.counts.failed > 0 || second.counts.passed === 0) return { counts: first.counts, unsteady: [] };
  const unsteady = again.flatMap(({ path, tests }) =>
    tests.map((test) => ({ test: `${path}: ${test}`, isForgiven: isPure })),
  );
  const { passed, failed } = first.counts;
  return { counts: isPure ? { ...first.counts, passed: passed + failed, failed: 0 } : first.counts, unsteady };
}

/** For people, at the end of a run. */
export function unsteadyNotice(unsteady) {
  const part = (isForgiven, title) => {
    const tests = unsteady.filter((one) => one.isForgiven === isForgiven).map(({ test }) => test);
    return tests.length > 0 ? [`${title}\n  ${tests.join('\n  ')}`] : [];
  };
  return [
    ...part(true, '! UNSTEADY, counted as passed: failed beside others, and passed alone. Each is a fault to find:'),
    ...part(
      false,
      '✗ UNSTEADY, counted as FAILED: failed beside others, and passes alone. A database, a chain or a provider is in it, so that another try excuses nothing:',
    ),
  ];
}
