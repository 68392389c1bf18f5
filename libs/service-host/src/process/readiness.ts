import { answerWithin } from '@vuka/runtime';

import type { Readiness } from '../service-context.js';

type Checks = Readiness['checks'];

/** How long this process is asked about itself, and the others together, milliseconds: below what the whole answer has. */
const EACH_WAIT_MS = 1_200;

/**
 * The readiness of a service whose others run apart: that of `own` alone, which is what every answer needs. What the others are
 * is told and decides nothing; else one that is dead would take every gateway out of service.
 */
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
