import { describe, expect, it } from '@jest/globals';

import { noDeadLetters } from '../../dead-letters/dead-letters.spec-support.js';
import { OpenLetters } from '../../dead-letters/open-letters.js';
import { listening } from '../../wire.spec-support.js';
import { PartitionLane, WINDOW } from './consumer-lane.js';
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
    letter: null,
    done: false,
    producedAt: from + n,
  }));
}

describe('a partition in memory', () => {
  it('admits as many as its window holds, and the rest as rows are done', () => {
    const lane = new PartitionLane('p.things', 0, 5n);
    lane.take(rows(5, 200), 205n);
    const admitted = lane.admit();
    expect(admitted).toHaveLength(WINDOW);
    lane.add(admitted);
    expect(lane.admit()).toEqual([]);
    lane.finish(admitted[0]!);
    expect(lane.admit().map(({ position }) => position)).toEqual([BigInt(5 + WINDOW)]);
    expect([lane.nextOffset, lane.unstored]).toEqual([205n, 5n]);
  });

  it('admits others past one that is not done', () => {
    const lane = new PartitionLane('p.things', 0, 0n);
    lane.take(rows(0, 5_000), 5_000n);
    let passed = 0;
    for (let admitted = lane.admit(); admitted.length > 0; admitted = lane.admit()) {
      lane.add(admitted);
      for (const row of admitted.filter(({ position }) => position > 0n)) {
        lane.finish(row);
        passed += 1;
      }
    }
    expect([passed, lane.oldestAt, lane.unstored]).toEqual([4_999, 0, null]);
  });

  it('is full at 2 MB of what waits, has room again below 1 MB, and counts what it admits', () => {
    const lane = new PartitionLane('p.things', 0, 0n);
    lane.add(rows(0, WINDOW));
    lane.take(rows(1_000, 60, 32_000), 1_060n);
    expect([lane.isFull, lane.hasRoomAgain]).toEqual([false, false]);
    lane.take(rows(1_060, 10, 32_000), 1_070n);
    expect(lane.isFull).toBe(true);
    const empty = new PartitionLane('p.things', 0, 0n);
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
    const letters = new OpenLetters({ group: 'taker', deadLetters }, listening().log);
    const lane = new PartitionLane('p.things', 0, 0n);
    lane.take(rows(0, 70, 32_000), 70n);
    await letters.passOver(lane.next());
    const admitted = lane.admit();
    lane.add(admitted);
    expect([lane.isFull, lane.hasRoomAgain, lane.first, lane.unstored]).toEqual([false, true, undefined, 69n]);
    expect(admitted.map(({ text }) => text)).toEqual(admitted.map(() => null));
    lane.take(rows(100, 60, 32_000), 160n);
    expect(lane.isFull).toBe(false);
  });

  it('knows the oldest that is not done, and the oldest that found no room', () => {
    const lane = new PartitionLane('p.things', 0, 0n);
    expect([lane.oldestAt, lane.oldestWaitingAt]).toEqual([null, null]);
    lane.take(rows(0, WINDOW + 3), BigInt(WINDOW + 3));
    const admitted = lane.admit();
    lane.add(admitted);
    lane.finish(admitted[0]!);
    expect([lane.oldestAt, lane.oldestWaitingAt]).toEqual([1, WINDOW]);
  });
});
