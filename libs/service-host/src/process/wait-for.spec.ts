import { describe, expect, it } from '@jest/globals';
import { BootError, createLogger, StoppedWhileStarting } from '@vuka/runtime';

import { waitFor } from './wait-for.js';

const lines: Record<string, unknown>[] = [];
const log = createLogger('test', {
  destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
});
const basis = { what: 'PostgreSQL', log, everyMs: 1, signal: new AbortController().signal };

describe('waiting for a server', () => {
  it('returns the result of the first successful attempt, and logs the wait once', async () => {
    let tries = 0;
    const attempt = async (): Promise<number> => {
      tries += 1;
      if (tries < 5) throw new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:5432')]);
      return tries;
    };
    lines.length = 0;
    expect(await waitFor({ ...basis, attempt, patienceMs: 60_000 })).toBe(5);
    expect(lines).toMatchObject([
      { msg: 'waiting for PostgreSQL', reason: 'connect ECONNREFUSED 127.0.0.1:5432', waited_ms: expect.any(Number) },
    ]);
  });

  it('ends after its time limit, with a last try', async () => {
    let tries = 0;
    const attempt = (): Promise<never> => Promise.reject(new Error(`no ${(tries += 1)}`));
    const failure = waitFor({ ...basis, attempt, patienceMs: 20 });
    await expect(failure).rejects.toBeInstanceOf(BootError);
    await expect(failure).rejects.toThrow(`PostgreSQL was not reached within 0 s: no ${tries}`);
    expect(tries).toBeGreaterThan(1);
    await expect(waitFor({ ...basis, attempt: () => Promise.reject(new Error('no')), patienceMs: 0 })).rejects.toThrow(
      'no',
    );
  });

  it('is over at once where the process is to stop', async () => {
    const ending = new AbortController();
    const failure = waitFor({
      ...basis,
      signal: ending.signal,
      attempt: () => Promise.reject(new Error('no')),
      patienceMs: Infinity,
      everyMs: 60_000,
    });
    ending.abort();
    await expect(failure).rejects.toBeInstanceOf(StoppedWhileStarting);
  });
});
