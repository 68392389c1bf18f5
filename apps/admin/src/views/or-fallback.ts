import { DeadlineExceededError, ServiceUnavailableError } from '@vuka/runtime';

/** What a service tells; where it cannot be asked, `instead`, and what went wrong is added to `away`: what the others know is worth showing then most of all. */
export async function toldOr<T, I>(asked: Promise<T>, instead: I, away: string[]): Promise<T | I> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof ServiceUnavailableError || error instanceof DeadlineExceededError)) throw error;
    if (!away.includes(error.message)) away.push(error.message);
    return instead;
  }
}
