import { beforeEach, describe, expect, it } from '@jest/globals';
import { ok, type Result } from '@vuka/domain';
import { createLogger, ManualClock, ServiceUnavailableError } from '@vuka/runtime';

import { LISTS_AT_ONCE, ListTurns } from './list-turns.js';

const NOW = new Date('2026-03-10T12:00:00.000Z');
const LATER = NOW.getTime() + 60_000;
const silent = createLogger('test', { level: 'silent' });

/** Reads that end when the test says so. */
class Readings {
  readonly begun: string[] = [];
  now = 0;
  mostAtOnce = 0;
  private readonly ends: (() => void)[] = [];

  readonly read = (name: string) => async (): Promise<Result<string>> => {
    this.begun.push(name);
    this.now += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.now);
    await new Promise<void>((resolve) => this.ends.push(resolve));
    this.now -= 1;
    return ok(name);
  };

  end(nth: number): void {
    this.ends[nth]?.();
  }
}

let clock: ManualClock;
let turns: ListTurns;
let readings: Readings;

beforeEach(() => {
  clock = new ManualClock(NOW);
  turns = new ListTurns(clock, silent);
  readings = new Readings();
});

const ask = (partner: number, name: string, deadline = LATER): Promise<Result<string>> =>
  turns.run(partner, deadline, readings.read(name));

/** Runs pending promises. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

describe('lists of partners', () => {
  it('of one partner are read one at a time, in order', async () => {
    const asked = ['a1', 'a2', 'a3'].map((name) => ask(1, name));
    await settle();
    expect(readings.begun).toEqual(['a1']);
    readings.end(0);
    expect(await asked[0]).toEqual(ok('a1'));
    await settle();
    expect(readings.begun).toEqual(['a1', 'a2']);
    readings.end(1);
    await asked[1];
    await settle();
    readings.end(2);
    await Promise.all(asked);
    expect([readings.begun, readings.mostAtOnce]).toEqual([['a1', 'a2', 'a3'], 1]);
  });

  it('are read at once of several partners, as many as there are connections', async () => {
    const asked = [1, 2, 3, 4].map((partner) => ask(partner, String(partner)));
    await settle();
    expect(readings.begun).toEqual(['1', '2']);
    readings.end(0);
    await asked[0];
    await settle();
    expect(readings.begun).toEqual(['1', '2', '3']);
    for (const nth of [1, 2]) readings.end(nth);
    await Promise.all(asked.slice(1, 3));
    await settle();
    readings.end(3);
    await Promise.all(asked);
    expect(readings.mostAtOnce).toBe(LISTS_AT_ONCE);
  });

  it('give every partner a turn before one gets its second', async () => {
    const asked = [ask(1, 'a1'), ask(2, 'b1'), ask(1, 'a2'), ask(1, 'a3'), ask(2, 'b2'), ask(3, 'c1'), ask(3, 'c2')];
    const order: string[] = [];
    for (let nth = 0; nth < asked.length; nth += 1) {
      await settle();
      order.splice(0, order.length, ...readings.begun);
      readings.end(nth);
    }
    await Promise.all(asked);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3']);
  });

  it('of one partner wait in a limited number: one more is refused at once, but not one of another partner', async () => {
    const asked = Array.from({ length: 50 }, (_, index) => ask(1, String(index)));
    const refused = await Promise.all(asked.slice(21));
    for (const answer of refused)
      expect(answer).toMatchObject({ ok: false, error: { code: 'rate_limited', retryAfterS: 1 } });
    const other = ask(2, 'other');
    await settle();
    expect(readings.begun).toEqual(['0', 'other']);
    readings.end(1);
    expect(await other).toEqual(ok('other'));
    for (let nth = 0; nth <= 21; nth += 1) {
      readings.end(nth);
      await settle();
    }
    expect((await Promise.all(asked.slice(0, 21))).every((answer) => answer.ok)).toBe(true);
    const again = ask(1, 'again');
    await settle();
    readings.end(22);
    expect(await again).toEqual(ok('again'));
  });
});

describe('a list whose turn does not come in time', () => {
  const TOO_LATE = { ok: false, error: { code: 'service_unavailable', retryAfterS: 1 } };

  it('is dropped, never read, and does not block the next', async () => {
    const first = ask(1, 'first');
    const late = ask(1, 'late', NOW.getTime() + 250);
    const patient = ask(1, 'patient');
    expect(await late).toMatchObject(TOO_LATE);
    readings.end(0);
    await first;
    await settle();
    readings.end(1);
    await patient;
    expect(readings.begun).toEqual(['first', 'patient']);
  });

  it('is not started when its deadline is almost over', async () => {
    expect(await ask(1, 'late', NOW.getTime() + 100)).toMatchObject(TOO_LATE);
    expect(await ask(1, 'later', NOW.getTime() - 1)).toMatchObject(TOO_LATE);
    expect(readings.begun).toEqual([]);
  });
});

describe('a list that cannot be read', () => {
  const failing = (error: Error) => turns.run(1, LATER, () => Promise.reject(error));
  const coded = (code: string): Error => Object.assign(new Error('from the database'), { code });

  it('because it takes too long is service_unavailable, and says what to ask instead', async () => {
    expect(await failing(coded('57014'))).toMatchObject({
      ok: false,
      error: { code: 'service_unavailable', message: expect.stringMatching(/fewer days/) },
    });
  });

  it('because the database is away is an outage, and because of a bug is one', async () => {
    await expect(failing(coded('ECONNREFUSED'))).rejects.toThrow(ServiceUnavailableError);
    const bug = coded('42703');
    await expect(failing(bug)).rejects.toBe(bug);
  });

  it('ends its partner’s turn', async () => {
    await expect(failing(coded('42703'))).rejects.toThrow();
    const next = ask(1, 'next');
    await settle();
    readings.end(0);
    expect(await next).toEqual(ok('next'));
  });
});
