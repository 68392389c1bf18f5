import { answerWithin, DeadlineExceededError } from '@vuka/runtime';

/** The longest that a request waits for the gateway's own database. */
export const DATABASE_WAIT_MS = 2_000;

const LATE = Symbol('late');

/** Waits for `work` no longer than `ms`; throws DeadlineExceededError then. */
export async function withTimeout<T>(ms: number, operation: string, work: Promise<T>): Promise<T> {
  const answer = await answerWithin(ms, work, LATE);
  if (answer === LATE) throw new DeadlineExceededError('gateway', operation);
  return answer;
}
