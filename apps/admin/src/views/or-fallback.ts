import { DeadlineExceededError, ServiceUnavailableError } from '@vuka/runtime';

/** On an outage gives `instead` and adds the reason to `away`: what others know is still shown. */
export async function toldOr<T, I>(asked: Promise<T>, instead: I, away: string[]): Promise<T | I> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof ServiceUnavailableError || error instanceof DeadlineExceededError)) throw error;
    if (!away.includes(error.message)) away.push(error.message);
    return instead;
  }
}
