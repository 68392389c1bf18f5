import { beforeEach, describe, expect, it } from '@jest/globals';
import { BootError, createLogger, ManualClock } from '@vuka/runtime';

import { DatabaseClock } from './database-clock.js';

const NOW = new Date('2026-05-12T10:00:00.000Z');

let lines: Record<string, unknown>[];
let clock: ManualClock;
/** `moreMs`: the database's lead. The others: delays around the reading. */
let theirs: { moreMs: number; beforeMs: number; afterMs: number };
let away: boolean;
let open: number;

beforeEach(() => {
  [lines, clock, theirs, away, open] = [[], new ManualClock(NOW), { moreMs: 0, beforeMs: 0, afterMs: 0 }, false, 0];
});

const log = createLogger('test', {
  destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
});

function databaseClock(): DatabaseClock {
  const query = async <T>(): Promise<T[]> => {
    clock.advance(theirs.beforeMs);
    const ms = String(clock.now().getTime() + theirs.moreMs);
    clock.advance(theirs.afterMs);
    return [{ ms }] as T[];
  };
  const connect = async () => {
    if (away) throw new Error('connect ECONNREFUSED');
    open += 1;
    return { query, close: async () => void (open -= 1) };
  };
  return new DatabaseClock({ what: 'PostgreSQL at db:5432', connect, clock, log });
}

describe('a start', () => {
  it.each([0, 5_000, -5_000])(
    'goes on where the clocks are %i ms apart, and leaves no connection behind',
    async (moreMs) => {
      theirs = { ...theirs, moreMs };
      const held = databaseClock();
      await held.start();
      await held.stop();
      expect([held.state(), open]).toEqual([true, 0]);
    },
  );

  it.each([
    [3_600_000, '2026-05-12T11:00:00.000Z', '3600.0'],
    [-5_001, '2026-05-12T09:59:54.999Z', '5.0'],
  ])('is refused where they are %i ms apart, and says whose clock says what', async (moreMs, says, apart) => {
    theirs = { ...theirs, moreMs };
    const refused = databaseClock().start();
    await expect(refused).rejects.toBeInstanceOf(BootError);
    await expect(refused).rejects.toThrow(
      `the clocks differ by ${apart} s: this machine's clock says 2026-05-12T10:00:00.000Z, and the clock of PostgreSQL at db:5432 says ${says}`,
    );
    expect(open).toBe(0);
  });

  it.each([
    [20_000, 0],
    [0, 20_000],
  ])('does not treat a slow answer as a difference: %i ms before, %i ms after', async (beforeMs, afterMs) => {
    theirs = { moreMs: 0, beforeMs, afterMs };
    const held = databaseClock();
    await held.start();
    await held.stop();
  });

  it('fails if the database is missing', async () => {
    away = true;
    await expect(databaseClock().start()).rejects.toThrow('ECONNREFUSED');
  });
});

describe('later', () => {
  it('a wrong clock raises one alarm an episode, and makes the process unready until it is right', async () => {
    const held = databaseClock();
    expect([await held.agrees(), held.state(), lines]).toEqual([true, true, []]);
    for (const [moreMs, ahead_ms] of [
      [-86_400_000, 86_400_000],
      [7_000, -7_000],
    ] as const) {
      theirs = { ...theirs, moreMs };
      lines = [];
      expect([await held.agrees(), await held.agrees()]).toEqual([false, false]);
      expect(lines).toMatchObject([{ code: 'clock_differs', ahead_ms, database: 'PostgreSQL at db:5432' }]);
      theirs = { ...theirs, moreMs: 0 };
      lines = [];
      expect([await held.agrees(), held.state()]).toEqual([true, true]);
      expect(lines).toMatchObject([{ msg: 'the clocks agree again' }]);
    }
  });

  it('says by how much', async () => {
    const held = databaseClock();
    theirs = { ...theirs, moreMs: -86_400_000 };
    await held.agrees();
    expect(held.state()).toBe('this clock is 86400.0 s ahead of the clock of PostgreSQL at db:5432');
    theirs = { ...theirs, moreMs: 7_000 };
    await held.agrees();
    expect(held.state()).toBe('this clock is 7.0 s behind the clock of PostgreSQL at db:5432');
  });

  it('while the database is away, the state stays, and nothing may be deleted by time', async () => {
    const held = databaseClock();
    away = true;
    expect([await held.agrees(), held.state()]).toEqual([false, true]);
    away = false;
    theirs = { ...theirs, moreMs: 60_000 };
    await held.agrees();
    away = true;
    expect([await held.agrees(), held.state()]).toEqual([
      false,
      'this clock is 60.0 s behind the clock of PostgreSQL at db:5432',
    ]);
  });
});
