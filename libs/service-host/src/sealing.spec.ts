import { describe, expect, it } from '@jest/globals';
import type { Database } from '@vuka/persistence';
import { createLogger, ManualClock } from '@vuka/runtime';

import { sealing } from './sealing.js';
import { testContext } from './test-context.js';

describe('sealing', () => {
  it('logs a head that moved, once an hour at most, and an alarm where it fails', async () => {
    const lines: Record<string, unknown>[] = [];
    const clock = new ManualClock(new Date('2026-11-28T10:00:00Z'));
    const log = createLogger('test', { destination: { write: (line) => void lines.push(JSON.parse(line)) } });
    let number = 1;
    let isAway = false;
    const db = {
      query: async (sql: string) => {
        if (isAway) throw new Error('away');
        if (sql.startsWith('select chain')) return [{ chain: 'ledger' }];
        return sql.includes('seal_next') ? [] : [{ chain: 'ledger', epoch: 1, number, hash: 'ab' }];
      },
    } as unknown as Database;
    const seal = sealing(db, testContext({ log, clock }));
    await seal();
    await seal();
    number = 2;
    await seal();
    clock.advance(3_600_000);
    await seal();
    await seal();
    isAway = true;
    await seal();
    expect(lines.map(({ code, number: of, hash }) => [code, of, hash])).toEqual([
      ['sealed', 1, 'ab'],
      ['sealed', 2, 'ab'],
      ['seal_failed', undefined, undefined],
    ]);
  });
});
