import { describe, expect, it } from '@jest/globals';

import type { DeadLetter } from '../dead-letters/dead-letters.js';
import { clock, listening } from '../event-bus.spec-support.js';
import { ForeignEvents } from './foreign-events.js';

const letter: DeadLetter = {
  group: 'taker', topic: 'things', key: 'a', eventId: 'e', reason: 'foreign', detail: 'It has no MAC', tries: 0, envelope: '{}', at: clock.now(),
}; // prettier-ignore

function watched(most: number) {
  const { log, said } = listening();
  let [nowMs, asked, counted] = [0, 0, 0];
  const recordForeign = async (): Promise<boolean> => (asked += 1) <= most;
  const foreign = new ForeignEvents({ recordForeign }, log, { monotonicMs: () => nowMs }, () => void (counted += 1));
  return { foreign, said, pass: (ms: number) => void (nowMs += ms), asked: () => asked, counted: () => counted };
}

describe('events that no service of ours wrote', () => {
  it('are told at once, then every ten seconds with how many there were', async () => {
    const { foreign, said, pass, counted } = watched(1_000);
    for (let n = 0; n < 500; n += 1) await foreign.keep(letter);
    expect(said).toEqual([
      { level: 'error', facts: expect.objectContaining({ code: 'event_foreign', seen: 1 }), text: expect.any(String) },
    ]);
    pass(10_000);
    await foreign.keep(letter);
    expect(said[1]?.facts).toEqual({
      code: 'event_foreign', group: 'taker', topic: 'things', eventId: 'e', detail: 'It has no MAC', seen: 501, is_kept: true,
    }); // prettier-ignore
    expect(counted()).toBe(501);
  });

  it('beyond those that are kept are counted, and the database is asked again after ten seconds', async () => {
    const { foreign, pass, asked, counted } = watched(2);
    const kept: boolean[] = [];
    for (let n = 0; n < 100; n += 1) kept.push(await foreign.keep(letter));
    expect([kept.filter(Boolean).length, asked(), counted()]).toEqual([2, 3, 100]);
    pass(10_000);
    await foreign.keep(letter);
    expect(asked()).toBe(4);
  });
});
