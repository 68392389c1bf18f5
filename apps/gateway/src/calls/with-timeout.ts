import { answerWithin, DeadlineExceededError } from '@vuka/runtime';

/** How long a request waits for the gateway's database. */
export const DATABASE_WAIT_MS = 2_000;

const LATE = Symbol('late');

/** Throws DeadlineExceededError after `ms`. */
export async function withTimeout<T>(ms: number, operation: string, work: Promise<T>): Promise<T> {
  const answer = await answerWithin(ms, work, LATE);
  if (answer === LATE) throw new DeadlineExceededError('gateway', operation);
  return answer;
}
