import { answerWithin } from '@vuka/runtime';

import type { Readiness } from '../service-context.js';

type Checks = Readiness['checks'];

/** Milliseconds; below the bound of the whole answer. */
const EACH_WAIT_MS = 1_200;

/** Only `own` decides: one dead service must not make every gateway unready. */
export async function readinessApart(
  service: string,
  own: () => Promise<true | string>,
  others: () => Promise<Checks>,
): Promise<Readiness> {
  const [state, rest] = await Promise.all([
    asked(own, (why) => why),
    asked(others, (why): Checks => ({ services: why })),
  ]);
  return { ready: state === true, checks: { [service]: state, ...rest } };
}

async function asked<T>(question: () => Promise<T>, unanswered: (why: string) => T): Promise<T> {
  try {
    return await answerWithin(EACH_WAIT_MS, question(), unanswered(`no answer in ${String(EACH_WAIT_MS)} ms`));
  } catch (error) {
    return unanswered(error instanceof Error ? error.name : 'failed');
  }
}
