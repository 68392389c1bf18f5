import type { ApiClient } from './api-client.js';
import type { StatusRow } from './status-row.js';
import { until } from '../until.js';

export interface Watched {
  readonly row: StatusRow;
  readonly seen: readonly string[];
}

/** Polls until the status is `end`. Throws after `withinMs` with the statuses seen. */
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
