import { describe, expect, it } from '@jest/globals';

import { BucketBuffer } from './bucket-buffer.js';
import type { LogRow } from '../outbox/producer-log.js';

function row(id: number, key: string, over: Partial<LogRow> = {}): LogRow {
  return {
    bucket: 0,
    position: { xid: '1', id: String(id) },
    topic: 't',
    key,
    sequence: id,
    eventId: `e${id}`,
    bytes: 2,
    text: '{}',
    tries: 0,
    cancelledMs: 0,
    cancelledAtMs: null,
    deadLetter: null,
    done: false,
    ...over,
  };
}

const buffer = (): BucketBuffer<LogRow> => new BucketBuffer(0, { xid: '0', id: '0' }, 8);

describe('BucketBuffer', () => {
  it('runs keys side by side and the rows of a key one after the other', () => {
    const it = buffer();
    const [a1, b1, a2] = [row(1, 'a'), row(2, 'b'), row(3, 'a')];
    expect(it.add([a1, b1, a2])).toEqual([a1, b1]);
    expect(it.finish(b1)).toBeUndefined();
    expect(it.finish(a1)).toBe(a2);
  });

  it('never moves the cursor past a row that is not done', () => {
    const it = buffer();
    const rows = [row(1, 'a'), row(2, 'b'), row(3, 'c')];
    it.add(rows);
    it.finish(rows[1]!);
    it.finish(rows[2]!);
    expect(it.unstored).toBeNull();
    it.finish(rows[0]!);
    expect(it.unstored).toEqual({ xid: '1', id: '3' });
    expect(it.room).toBe(8);
  });

  it('has room for others behind a waiting row, and keeps only the places of rows that passed it', () => {
    const it = buffer();
    const stuck = row(1, 'a');
    it.add([stuck]);
    for (let id = 2; id <= 1_024; id++) {
      expect(it.room).toBe(Math.min(7, 1_024 - (id - 1)));
      const other = row(id, `k${id}`);
      it.add([other]);
      it.finish(other);
      expect([other.text, it.unstored]).toEqual([null, null]);
    }
    // Bounds what comes again after a crash.
    expect(it.room).toBe(0);
    it.finish(stuck);
    expect([it.unstored, it.room]).toEqual([{ xid: '1', id: '1024' }, 8]);
  });

  it('has room for no more than a window of rows that wait', () => {
    const it = buffer();
    const rows = Array.from({ length: 8 }, (_, id) => row(id + 1, 'a'));
    it.add(rows);
    expect(it.room).toBe(0);
    it.finish(rows[0]!);
    expect(it.room).toBe(1);
  });

  it('passes rows of other topics and still reads on from them', () => {
    const it = buffer();
    expect(it.add([row(1, 'a', { done: true }), row(2, 'b', { done: true })])).toEqual([]);
    expect(it.unstored).toEqual({ xid: '1', id: '2' });
    expect(it.readTo).toEqual({ xid: '1', id: '2' });
  });

  it('orders the waiting rows of a key by their sequence, and leaves the running one where it is', () => {
    const it = buffer();
    const [second, fourth, third] = [
      row(1, 'a', { sequence: 2 }),
      row(2, 'a', { sequence: 4 }),
      row(3, 'a', { sequence: 3 }),
    ];
    const first = row(4, 'a', { sequence: 1 });
    it.add([second, fourth, third, first]);
    expect(it.finish(second)).toBe(first);
    expect(it.finish(first)).toBe(third);
    expect(it.finish(third)).toBe(fourth);
  });

  it('refuses to finish a row that waits', () => {
    const it = buffer();
    const waiting = row(2, 'a');
    it.add([row(1, 'a'), waiting]);
    expect(() => it.finish(waiting)).toThrow('Only the first row of a key');
  });
});
