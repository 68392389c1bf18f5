import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger, ManualClock } from '@vuka/runtime';

import { noDeadLetters } from '../dead-letters/dead-letters.spec-support.js';
import { catalogue, event, numberOf } from '../event-bus.spec-support.js';
import { BucketBuffer, type BufferRow } from './bucket-buffer.js';
import { KeyedDelivery } from './keyed-delivery.js';
import { PermanentEventError, type Subscription } from './subscription.js';

type Row = BufferRow<number>;

function row(position: number, key: string): Row {
  const envelope = event(key, position);
  const text = JSON.stringify(envelope);
  return {
    position,
    topic: 'things',
    key,
    sequence: position,
    eventId: envelope.id,
    bytes: text.length,
    text,
    tries: 0,
    cancelledMs: 0,
    cancelledAtMs: null,
    deadLetter: null,
    done: false,
  };
}

const buffer = (): BucketBuffer<Row> => new BucketBuffer<Row>(0, 0, 100);

describe('keyed delivery', () => {
  let handled: number[];
  let gates: (() => void)[];
  let handle: jest.Mock<Subscription['handle']>;
  let record: jest.Mock<Subscription['deadLetters']['record']>;
  let openAmong: jest.Mock<Subscription['deadLetters']['openAmong']>;
  let done: jest.Mock<(buffer: BucketBuffer<Row>, roomBefore: number) => void>;
  let delivery: KeyedDelivery<Row>;

  beforeEach(() => {
    jest.useFakeTimers();
    handled = [];
    gates = [];
    handle = jest
      .fn<Subscription['handle']>()
      .mockImplementation(async (envelope) => void handled.push(numberOf(envelope)));
    record = jest.fn<Subscription['deadLetters']['record']>().mockResolvedValue();
    openAmong = jest.fn<Subscription['deadLetters']['openAmong']>().mockResolvedValue([]);
    done = jest.fn<(buffer: BucketBuffer<Row>, roomBefore: number) => void>();
    delivery = new KeyedDelivery<Row>(
      { group: 'taker', topics: ['things'], deadLetters: noDeadLetters({ record, openAmong }), handle, concurrency: 2 },
      {
        log: createLogger('test', { level: 'silent' }),
        clock: new ManualClock(new Date('2026-11-21T10:00:00.000Z')),
        catalogue,
        handlerTimeoutMs: 10_000,
        retry: { tries: 3, firstDelayMs: 100, maxDelayMs: 5_000 },
      },
      done,
    );
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const settle = (): Promise<void> => jest.advanceTimersByTimeAsync(1);
  const hang = (): void => {
    handle.mockImplementation(
      (envelope) => new Promise((resolve) => void gates.push(() => (handled.push(numberOf(envelope)), resolve()))),
    );
  };

  it('runs as many at once as the group wants, of all its buffers together', async () => {
    hang();
    delivery.add(buffer(), [row(1, 'a'), row(2, 'b')]);
    delivery.add(buffer(), [row(3, 'c')]);
    await settle();
    expect(handle).toHaveBeenCalledTimes(2);
    gates[0]!();
    await settle();
    expect(handle).toHaveBeenCalledTimes(3);
  });

  it('forgets the waiting events and tries of a dropped buffer', async () => {
    handle.mockRejectedValue(new Error('a bug'));
    const own = buffer();
    delivery.add(own, [row(1, 'a'), row(2, 'a'), row(3, 'b'), row(4, 'c')]);
    await settle();
    const calls = handle.mock.calls.length;
    delivery.drop(own);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(handle).toHaveBeenCalledTimes(calls);
    expect(done).not.toHaveBeenCalled();
    expect(record).not.toHaveBeenCalled();
  });

  it('lets a handler of a dropped buffer end, and ignores its result', async () => {
    hang();
    const own = buffer();
    delivery.add(own, [row(1, 'a'), row(2, 'a')]);
    await settle();
    delivery.drop(own);
    gates[0]!();
    await settle();
    expect(handled).toEqual([1]);
    expect(own.unstored).toBeNull();
    expect(done).not.toHaveBeenCalled();
    delivery.add(buffer(), [row(5, 'x'), row(6, 'y')]);
    await settle();
    expect(handle).toHaveBeenCalledTimes(3);
  });

  it('keeps no dead letter of a dropped buffer’s last try: who has the row now tries for itself', async () => {
    let fail: () => void = () => undefined;
    handle.mockImplementation(() => new Promise((_, reject) => (fail = () => reject(new Error('a bug')))));
    const own = buffer();
    delivery.add(own, [{ ...row(1, 'a'), tries: 2 }]);
    await settle();
    delivery.drop(own);
    fail();
    await settle();
    expect(record).not.toHaveBeenCalled();
  });

  it('begins nothing after stop, and ends with the handlers under way', async () => {
    hang();
    delivery.add(buffer(), [row(1, 'a'), row(2, 'b'), row(3, 'c')]);
    await settle();
    let isStopped = false;
    const stopped = delivery.stop().then(() => (isStopped = true));
    await settle();
    expect(isStopped).toBe(false);
    for (const open of gates) open();
    await stopped;
    expect(handled).toEqual([1, 2]);
  });

  it('waits no longer than 5 s for a handler that does not end', async () => {
    hang();
    delivery.add(buffer(), [row(1, 'a')]);
    await settle();
    const stopped = delivery.stop();
    await jest.advanceTimersByTimeAsync(5_000);
    await expect(stopped).resolves.toBeUndefined();
  });

  it('gives a late handler’s place to others, and hands its event over again only when it has ended, which is no try where a lock kept it', async () => {
    let end: (error: unknown) => void = () => undefined;
    handle.mockImplementation((envelope) =>
      envelope.key === 'a'
        ? new Promise((_, reject) => (end = reject))
        : Promise.resolve(void handled.push(numberOf(envelope))),
    );
    const slow = row(1, 'a');
    delivery.add(buffer(), [slow, row(2, 'a'), row(3, 'b')]);
    const calls = (): number => handle.mock.calls.filter(([{ key }]) => key === 'a').length;
    for (let n = 0; n < 8; n += 1) {
      await jest.advanceTimersByTimeAsync(30_000);
      expect([calls(), slow.tries]).toEqual([n + 1, 0]);
      end(Object.assign(new Error('no'), { code: '55P03' }));
      await jest.advanceTimersByTimeAsync(500);
    }
    expect(record).not.toHaveBeenCalled();
    handle.mockImplementation(async (envelope) => void handled.push(numberOf(envelope)));
    end(Object.assign(new Error('no'), { code: '55P03' }));
    await jest.advanceTimersByTimeAsync(500);
    expect(handled).toEqual([3, 1, 2]);
  });

  it('begins what comes after a late handler as soon as that has ended, with nothing else to do', async () => {
    hang();
    delivery.add(buffer(), [row(1, 'a'), row(2, 'a')]);
    await jest.advanceTimersByTimeAsync(12_000);
    handle.mockImplementation(async (envelope) => void handled.push(numberOf(envelope)));
    gates[0]!();
    await settle();
    expect(handled).toEqual([1, 2]);
  });

  it('stops when its late handlers have ended', async () => {
    hang();
    delivery.add(buffer(), [row(1, 'a')]);
    await jest.advanceTimersByTimeAsync(12_000);
    let isStopped = false;
    const stopping = delivery.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(4_000);
    expect(isStopped).toBe(false);
    gates[0]!();
    await stopping;
    expect(handled).toEqual([1]);
  });

  it('leaves an event alone whose dead letter is in doubt when its buffer has gone meanwhile', async () => {
    handle.mockRejectedValue(new PermanentEventError('no'));
    record.mockRejectedValue(Object.assign(new Error('lost'), { code: 'ECONNRESET' }));
    let answer: (open: string[]) => void = () => undefined;
    openAmong.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
    const own = buffer();
    delivery.add(own, [row(1, 'a')]);
    await jest.advanceTimersByTimeAsync(600);
    expect([openAmong.mock.calls.length, record.mock.calls.length]).toEqual([1, 1]);
    delivery.drop(own);
    answer([]);
    await jest.advanceTimersByTimeAsync(5_000);
    expect(record).toHaveBeenCalledTimes(1);
  });

  it('begins another event beside two that are late, though it is one more than the group wants', async () => {
    hang();
    delivery.add(buffer(), [row(1, 'a'), row(2, 'b'), row(3, 'c')]);
    await jest.advanceTimersByTimeAsync(9_000);
    expect(handle).toHaveBeenCalledTimes(2);
    await jest.advanceTimersByTimeAsync(1_001);
    expect(handle).toHaveBeenCalledTimes(3);
  });

  it('makes a dead letter of an event whose handler hangs, each time for four times its time', async () => {
    handle.mockImplementation((envelope) => (envelope.key === 'a' ? new Promise(() => undefined) : Promise.resolve()));
    delivery.add(buffer(), [row(1, 'a'), row(2, 'b')]);
    await jest.advanceTimersByTimeAsync(119_000);
    expect([handle.mock.calls.length, record.mock.calls.length]).toEqual([4, 0]);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(record.mock.calls.map(([deadLetter]) => [deadLetter.reason, deadLetter.tries, deadLetter.detail])).toEqual([
      ['tries_exhausted', 3, 'The handler has not ended after 40000 ms'],
    ]);
  });

  it('hands no event over again whose dead letter was kept though the answer was lost', async () => {
    handle
      .mockRejectedValueOnce(new PermanentEventError('no'))
      .mockRejectedValueOnce(new Error('a bug'))
      .mockRejectedValueOnce(new Error('a bug'))
      .mockRejectedValueOnce(new Error('a bug'));
    const kept: string[] = [];
    record.mockImplementation(
      (deadLetter) => (
        kept.push(deadLetter.eventId),
        Promise.reject(Object.assign(new Error('lost'), { code: 'ECONNRESET' }))
      ),
    );
    openAmong.mockImplementation((_, ids) => Promise.resolve(ids.filter((id) => kept.includes(id))));
    const own = buffer();
    delivery.add(own, [row(1, 'a'), row(2, 'a')]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(handle).toHaveBeenCalledTimes(4);
    expect([kept.length, own.unstored, handled]).toEqual([2, 2, []]);
  });

  it('passes over what lies there twice with what became a dead letter', async () => {
    handle.mockRejectedValueOnce(new PermanentEventError('no'));
    const [bad, after] = [row(1, 'a'), row(2, 'a')];
    const again = { ...bad, position: 3 };
    const own = buffer();
    delivery.add(own, [bad, after, again]);
    await settle();
    expect([handle.mock.calls.length, handled, own.unstored]).toEqual([2, [2], 3]);
  });

  it('tells what room there was before each row that is done', async () => {
    delivery.add(buffer(), [row(1, 'a'), row(2, 'a')]);
    await settle();
    expect(done.mock.calls.map(([own, roomBefore]) => [own.room, roomBefore])).toEqual([
      [100, 98],
      [100, 99],
    ]);
  });
});
