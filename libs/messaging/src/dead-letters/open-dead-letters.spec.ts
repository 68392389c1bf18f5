import { beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { BufferRow } from '../delivery/bucket-buffer.js';
import type { DeadLetter, DeadLetters } from './dead-letters.js';
import { noDeadLetters } from './dead-letters.spec-support.js';
import { OpenDeadLetters } from './open-dead-letters.js';
import { listening } from '../event-bus.spec-support.js';

const row = (eventId: string, done = false): BufferRow => ({
  position: eventId,
  topic: 'things',
  key: 'k',
  sequence: 1,
  eventId,
  bytes: 2,
  text: '{}',
  tries: 0,
  cancelledMs: 0,
  cancelledAtMs: null,
  deadLetter: null,
  done,
});
const deadLetterOf = (eventId: string): DeadLetter => ({
  group: 'taker',
  topic: 'things',
  key: 'k',
  eventId,
  reason: 'refused',
  detail: 'no',
  tries: 1,
  envelope: '{}',
  at: new Date(0),
});

let open: Set<string>;
let asked: string[];
let deadLetters: DeadLetters;
let openDeadLetters: OpenDeadLetters;
const { log, said } = listening();

beforeEach(() => {
  open = new Set();
  asked = [];
  said.length = 0;
  deadLetters = noDeadLetters({
    anyOpen: () => (asked.push('any'), Promise.resolve(open.size > 0)),
    openAmong: (_, ids) => (asked.push(ids.join()), Promise.resolve(ids.filter((id) => open.has(id)))),
    record: async ({ eventId }) => void open.add(eventId),
  });
  openDeadLetters = new OpenDeadLetters({ group: 'taker', deadLetters }, log);
});

async function left(...ids: string[]): Promise<string[]> {
  const rows = ids.map((id) => row(id));
  await openDeadLetters.passOver(rows);
  return rows.filter(({ done }) => !done).map(({ eventId }) => eventId);
}

describe('open dead letters', () => {
  it('are read once if there are none, and not at all for handled events', async () => {
    await openDeadLetters.passOver([row('a', true)]);
    expect([asked, openDeadLetters.areNone]).toEqual([[], false]);
    expect(await left('a', 'b')).toEqual(['a', 'b']);
    expect(await left('c')).toEqual(['c']);
    expect([asked, openDeadLetters.areNone]).toEqual([['any'], true]);
  });

  it('block the delivery of their events, and are logged again', async () => {
    open.add('b');
    expect(await left('a', 'b', 'c')).toEqual(['a', 'c']);
    expect(asked).toEqual(['any', 'a,b,c']);
    expect(said).toEqual([
      expect.objectContaining({
        level: 'error',
        facts: { code: 'dead_letter', group: 'taker', topic: 'things', aggregateId: 'k', eventId: 'b' },
      }),
    ]);
  });

  it('are read again after this process wrote one itself, even if that write is uncertain', async () => {
    await left('a');
    await openDeadLetters.keep(deadLetterOf('b'));
    expect(await left('b')).toEqual([]);
    openDeadLetters.forget();
    open.clear();
    await left('a');
    deadLetters.record = ({ eventId }) => (open.add(eventId), Promise.reject(new Error('the answer was lost')));
    await expect(openDeadLetters.keep(deadLetterOf('c'))).rejects.toThrow('lost');
    expect(await left('c')).toEqual([]);
  });

  it('are known though they were written while others were looked for', async () => {
    open.add('a');
    const { openAmong } = deadLetters;
    let isFirst = true;
    deadLetters.openAmong = async (group, ids) => {
      const found = await openAmong(group, ids);
      if (isFirst) await openDeadLetters.keep(deadLetterOf('b'));
      isFirst = false;
      return found;
    };
    expect(await left('a', 'b', 'c')).toEqual(['c']);
  });

  it('are waited for that are being written', async () => {
    let write: () => void = () => undefined;
    deadLetters.record = ({ eventId }) => new Promise((resolve) => (write = () => (open.add(eventId), resolve())));
    const kept = openDeadLetters.keep(deadLetterOf('a'));
    // The partition comes back to this process at once.
    openDeadLetters.forget();
    const after = left('a', 'b');
    write();
    await kept;
    expect(await after).toEqual(['b']);
  });

  it('of others are looked for anew after what was known is forgotten', async () => {
    await left('a');
    open.add('a');
    expect(await left('a')).toEqual(['a']);
    openDeadLetters.forget();
    expect(await left('a')).toEqual([]);
  });

  it('that cannot be read change nothing', async () => {
    const anyOpen = jest.spyOn(deadLetters, 'anyOpen').mockRejectedValueOnce(new Error('away'));
    open.add('a');
    const rows = [row('a')];
    await expect(openDeadLetters.passOver(rows)).rejects.toThrow('away');
    expect([rows[0]!.done, openDeadLetters.areNone]).toEqual([false, false]);
    expect(await left('a')).toEqual([]);
    expect(anyOpen).toHaveBeenCalledTimes(2);
  });
});
