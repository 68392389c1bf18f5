import { describe, expect, it } from '@jest/globals';

import { noDeadLetters } from '../../dead-letters/dead-letters.spec-support.js';
import { OpenDeadLetters } from '../../dead-letters/open-dead-letters.js';
import { listening } from '../../event-bus.spec-support.js';
import { PartitionBuffer, WINDOW } from './consumer-buffer.js';
import type { KafkaRow } from './consumer-message.js';

function rows(from: number, count: number, bytes = 10): KafkaRow[] {
  return Array.from({ length: count }, (_, n) => ({
    position: BigInt(from + n),
    topic: 'things',
    key: `k${from + n}`,
    sequence: 1,
    eventId: `e${from + n}`,
    bytes,
    text: 'x'.repeat(bytes),
    tries: 0,
    cancelledMs: 0,
    cancelledAtMs: null,
    deadLetter: null,
    done: false,
    producedAt: from + n,
  }));
}

describe('a partition in memory', () => {
  it('admits as many as its window holds, and the rest as rows are done', () => {
    const buffer = new PartitionBuffer('p.things', 0, 5n);
    buffer.take(rows(5, 200), 205n);
    const admitted = buffer.admit();
    expect(admitted).toHaveLength(WINDOW);
    buffer.add(admitted);
    expect(buffer.admit()).toEqual([]);
    buffer.finish(admitted[0]!);
    expect(buffer.admit().map(({ position }) => position)).toEqual([BigInt(5 + WINDOW)]);
    expect([buffer.nextOffset, buffer.unstored]).toEqual([205n, 5n]);
  });

  it('admits others past one that is not done', () => {
    const buffer = new PartitionBuffer('p.things', 0, 0n);
    buffer.take(rows(0, 5_000), 5_000n);
    let passed = 0;
    for (let admitted = buffer.admit(); admitted.length > 0; admitted = buffer.admit()) {
      buffer.add(admitted);
      for (const row of admitted.filter(({ position }) => position > 0n)) {
        buffer.finish(row);
        passed += 1;
      }
    }
    expect([passed, buffer.oldestAt, buffer.unstored]).toEqual([4_999, 0, null]);
  });

  it('is full at 2 MB of what waits, has room again below 1 MB, and counts what it admits', () => {
    const buffer = new PartitionBuffer('p.things', 0, 0n);
    buffer.add(rows(0, WINDOW));
    buffer.take(rows(1_000, 60, 32_000), 1_060n);
    expect([buffer.isFull, buffer.hasRoomAgain]).toEqual([false, false]);
    buffer.take(rows(1_060, 10, 32_000), 1_070n);
    expect(buffer.isFull).toBe(true);
    const empty = new PartitionBuffer('p.things', 0, 0n);
    empty.take(rows(0, 70, 32_000), 70n);
    expect(empty.isFull).toBe(true);
    expect(empty.admit()).toHaveLength(70);
    expect([empty.isFull, empty.hasRoomAgain]).toEqual([false, true]);
  });

  it('forgets all the weight of what a dead letter keeps', async () => {
    const deadLetters = noDeadLetters({
      anyOpen: () => Promise.resolve(true),
      openAmong: (_, ids) => Promise.resolve([...ids]),
    });
    const openDeadLetters = new OpenDeadLetters({ group: 'taker', deadLetters }, listening().log);
    const buffer = new PartitionBuffer('p.things', 0, 0n);
    buffer.take(rows(0, 70, 32_000), 70n);
    await openDeadLetters.passOver(buffer.next());
    const admitted = buffer.admit();
    buffer.add(admitted);
    expect([buffer.isFull, buffer.hasRoomAgain, buffer.first, buffer.unstored]).toEqual([false, true, undefined, 69n]);
    expect(admitted.map(({ text }) => text)).toEqual(admitted.map(() => null));
    buffer.take(rows(100, 60, 32_000), 160n);
    expect(buffer.isFull).toBe(false);
  });

  it('knows the oldest that is not done, and the oldest that found no room', () => {
    const buffer = new PartitionBuffer('p.things', 0, 0n);
    expect([buffer.oldestAt, buffer.oldestWaitingAt]).toEqual([null, null]);
    buffer.take(rows(0, WINDOW + 3), BigInt(WINDOW + 3));
    const admitted = buffer.admit();
    buffer.add(admitted);
    buffer.finish(admitted[0]!);
    expect([buffer.oldestAt, buffer.oldestWaitingAt]).toEqual([1, WINDOW]);
  });
});
