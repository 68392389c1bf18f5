import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import { listening } from '../event-bus.spec-support.js';
import { HeadWatch } from './head-watch.js';

const first = (eventId: string): { topic: string; key: string; eventId: string } => ({
  topic: 'things',
  key: 'k',
  eventId,
});
const HERE = { group: 'taker', bucket: '3' };

let clock: ManualClock;
let watch: HeadWatch;
const { log, said } = listening();

beforeEach(() => {
  said.length = 0;
  clock = new ManualClock(new Date('2026-11-21T10:00:00.000Z'));
  watch = new HeadWatch({ log, clock, stalledAfterMs: 10_000 });
});

/** Logged since the last call. */
const words = (): unknown[] =>
  said.splice(0).map(({ level, facts }) => [level, facts['code'], facts['eventId'], facts['age_ms']]);

describe('a partition whose first event is stuck', () => {
  it('raises one alarm when its first event is stuck too long, and another one in the next episode', () => {
    for (const ms of [0, 10_000]) {
      clock.advance(ms);
      watch.look(HERE, first('e1'));
    }
    expect(words()).toEqual([]);
    clock.advance(1);
    for (let n = 0; n < 3; n += 1) watch.look(HERE, first('e1'));
    expect(words()).toEqual([['error', 'consumer_behind', 'e1', 10_001]]);
    watch.look(HERE, first('e2'));
    expect(words()).toEqual([['info', undefined, undefined, undefined]]);
    clock.advance(10_001);
    watch.look(HERE, first('e2'));
    expect(words()).toEqual([['error', 'consumer_behind', 'e2', 10_001]]);
  });

  it('does not affect another partition, and is cleared when all events are done', () => {
    watch.look(HERE, first('e1'));
    clock.advance(9_000);
    watch.look(HERE, undefined);
    watch.look(HERE, first('e1'));
    clock.advance(9_000);
    watch.look(HERE, first('e1'));
    watch.look({ ...HERE, bucket: '4' }, first('e1'));
    expect(words()).toEqual([]);
  });

  it('is forgotten when it is somebody else’s, so that its return is no episode of before', () => {
    watch.look(HERE, first('e1'));
    clock.advance(10_001);
    watch.look(HERE, first('e1'));
    watch.endOfRound();
    expect(words()).toEqual([['error', 'consumer_behind', 'e1', 10_001]]);
    watch.endOfRound();
    clock.advance(60_000);
    watch.look(HERE, first('e1'));
    watch.endOfRound();
    expect(words()).toEqual([]);
    clock.advance(10_001);
    watch.look(HERE, first('e1'));
    expect(words()).toEqual([['error', 'consumer_behind', 'e1', 10_001]]);
  });

  it('is told of as well by what finds no room behind it', () => {
    watch.look(HERE, first('e1'), 10_001);
    clock.advance(20_000);
    watch.look(HERE, first('e2'), 10_001);
    expect(words()).toEqual([['error', 'consumer_behind', 'e1', 10_001]]);
  });
});
