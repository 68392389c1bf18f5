import type { Problem, Result } from '@vuka/domain';

/** What it came to; throws with the reason where it was refused. */
export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** Why it was not done; throws where it was. */
export function refusalOf(result: Result<unknown>): Problem {
  if (result.ok) throw new Error('it was done');
  return result.error;
}
