import type { Problem, Result } from '@vuka/domain';

export function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

export function refusalOf(result: Result<unknown>): Problem {
  if (result.ok) throw new Error('it was done');
  return result.error;
}
