import type { ApiClient } from './api-client.js';
import type { StatusRow } from './status-row.js';
import { until } from '../until.js';

/** What a partner saw that asked for the status again and again. */
export interface Watched {
  readonly row: StatusRow;
  /** Each status once, in the order in which it was seen. */
  readonly seen: readonly string[];
}

/** Asks until the transaction stands at `end`. Throws when it does not within `withinMs`, with what was seen. */
export async function watchStatus(
  client: ApiClient,
  code: string,
  end: string,
  withinMs: number,
  everyMs = 100,
): Promise<Watched> {
  const seen: string[] = [];
  const row = await until(
    async () => {
      const now = await client.status(code);
      if (now === null) throw new Error('there is no such transaction');
      if (seen.at(-1) !== now.status) seen.push(now.status);
      if (now.status !== end) throw new Error(`seen so far: ${seen.join(', ')} ${now.failure_code}`);
      return now;
    },
    { withinMs, what: `${code} is ${end}`, everyMs },
  );
  return { row, seen };
}
