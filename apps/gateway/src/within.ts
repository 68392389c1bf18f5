import { DeadlineExceededError } from '@vuka/platform';

/** The longest that a request waits for the gateway's own database. */
export const DATABASE_WAIT_MS = 2_000;

/** Waits for `work` no longer than `ms`; throws DeadlineExceededError then. The work itself goes on to its own bounds. */
export async function within<T>(ms: number, operation: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceededError('gateway', operation)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
