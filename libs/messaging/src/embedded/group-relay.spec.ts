import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DeadlineExceededError, ManualClock, ServiceUnavailableError } from '@vuka/runtime';
import { z } from 'zod';

import type { DeadLetter, DeadLetters } from '../dead-letters/dead-letters.js';
import { noDeadLetters } from '../dead-letters/dead-letters.spec-support.js';
import { PermanentEventError, type Subscription } from '../delivery/subscription.js';
import { OUTBOX_BUCKETS } from '../outbox/buckets.js';
import type { LogRow, ProducerLog } from '../outbox/producer-log.js';
import { listening, type Said } from '../event-bus.spec-support.js';
import { GroupRelay } from './group-relay.js';

let stored: unknown[];

const HOUR_MS = 3_600_000;
const coded = (code: string): Error => Object.assign(new Error('no'), { code });

function row(): LogRow {
  const text = JSON.stringify({
    id: '019a0000-0000-7000-8000-000000000001',
    type: 'thing.done',
    version: 1,
    key: 'k',
    sequence: 1,
    occurredAt: '2026-11-21T10:00:00.000Z',
    correlationId: 'c',
    causationId: 'd',
    producer: 'maker',
    data: {},
  });
  const position = { xid: '1', id: '1' };
  const state = { tries: 0, cancelledMs: 0, cancelledAtMs: null, deadLetter: null, done: false };
  return {
    bucket: 0,
    position,
    topic: 'things',
    key: 'k',
    sequence: 1,
    eventId: 'e',
    bytes: text.length,
    text,
    ...state,
  };
}

/** A log with one event, returned `times` times. */
function oneRow(times = 1): ProducerLog {
  const rows = Array.from({ length: times }, () => row());
  stored = [];
  const log: Pick<ProducerLog, keyof ProducerLog> = {
    cursors: async () => Array.from({ length: OUTBOX_BUCKETS }, () => ({ xid: '0', id: '0' })),
    read: async () => rows.splice(0, 1),
    store: async (_, cursors) => void stored.push(...cursors),
    backlog: async () => ({ oldestAt: null, isStalled: false }),
  };
  return log as ProducerLog;
}

describe('the relay', () => {
  let handle: jest.Mock<Subscription['handle']>;
  let record: jest.Mock<Subscription['deadLetters']['record']>;
  let relay: GroupRelay;

  let clock: ManualClock;
  const { log, said } = listening();

  beforeEach(() => {
    jest.useFakeTimers();
    said.length = 0;
    clock = new ManualClock(new Date('2026-11-21T10:00:00.000Z'));
    handle = jest.fn<Subscription['handle']>().mockResolvedValue();
    record = jest.fn<Subscription['deadLetters']['record']>().mockResolvedValue();
    relay = relayOf(oneRow());
  });
  afterEach(async () => {
    await relay.stop();
    jest.useRealTimers();
  });

  function relayOf(source: ProducerLog, over: Partial<DeadLetters> = {}): GroupRelay {
    const catalogue = {
      events: { 'thing.done': { topic: 'things', version: 1, data: z.object({}) } },
      topics: { things: { owner: 'maker', consumers: ['taker'] } },
    };
    return new GroupRelay(
      source,
      { group: 'taker', topics: ['things'], deadLetters: noDeadLetters({ record, ...over }), handle },
      ['things'],
      {
        log,
        clock,
        catalogue,
        handlerTimeoutMs: 1_000,
        stalledAfterMs: 10_000,
        retry: { tries: 5, firstDelayMs: 100, maxDelayMs: 5_000 },
      },
    );
  }

  /** For timers and clock. */
  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    await jest.advanceTimersByTimeAsync(ms);
  }

  const deadLetters = (): DeadLetter[] => record.mock.calls.map(([deadLetter]) => deadLetter);

  it.each(['25006', '53100', '40P01', '55P03', '57P03'])(
    'waits for as long as the database answers %s, and loses nothing',
    async (code) => {
      handle.mockRejectedValue(coded(code));
      await relay.start();
      await jest.advanceTimersByTimeAsync(HOUR_MS);
      expect(handle.mock.calls.length).toBeGreaterThan(1_000);
      expect(record).not.toHaveBeenCalled();
      handle.mockResolvedValue();
      await jest.advanceTimersByTimeAsync(1_000);
      const calls = handle.mock.calls.length;
      await jest.advanceTimersByTimeAsync(10_000);
      expect([handle.mock.calls.length, record.mock.calls.length]).toEqual([calls, 0]);
    },
  );

  it.each([
    ['statements run out of time', () => coded('57014')],
    ['parts say no more than that they could not', () => new ServiceUnavailableError('maker', 'it could not')],
    ['calls are not answered in time', () => new DeadlineExceededError('maker', 'make')],
  ])('gives up an event whose %s, but only after an hour and a half, however quick they are', async (_, error) => {
    handle.mockRejectedValue(error());
    await relay.start();
    await jest.advanceTimersByTimeAsync(1.49 * HOUR_MS);
    expect(handle.mock.calls.length).toBeGreaterThan(10_000);
    expect(record).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(0.02 * HOUR_MS);
    expect(deadLetters()).toEqual([expect.objectContaining({ reason: 'tries_exhausted', tries: 0 })]);
  });

  it('counts into that time no outage that is surely not the event’s, and all else, however often such an outage comes between', async () => {
    await relay.start();
    for (const [code, hours] of [
      ['57014', 1],
      ['57P03', 5],
      ['57014', 0.49],
    ] as const) {
      handle.mockRejectedValue(coded(code));
      await jest.advanceTimersByTimeAsync(hours * HOUR_MS);
    }
    expect(record).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(0.02 * HOUR_MS);
    expect(record).toHaveBeenCalledTimes(1);
  });

  it('tells once of an event that stays the first of its bucket though others may pass it', async () => {
    handle.mockRejectedValue(coded('55P03'));
    await relay.start();
    const alarms = (): Said[] => said.filter(({ facts }) => facts['code'] === 'consumer_behind');
    for (let n = 0; n < 3; n += 1) await pass(5_000);
    expect(alarms()).toEqual([]);
    for (let n = 0; n < 5; n += 1) await pass(5_000);
    expect(alarms()).toEqual([
      {
        level: 'error',
        facts: {
          code: 'consumer_behind',
          group: 'taker',
          bucket: '0',
          topic: 'things',
          aggregateId: 'k',
          eventId: 'e',
          age_ms: 15_000,
        },
        text: expect.any(String),
      },
    ]);
    handle.mockResolvedValue();
    for (let n = 0; n < 2; n += 1) await pass(5_000);
    expect(said).toContainEqual({
      level: 'info',
      facts: { group: 'taker', bucket: '0' },
      text: 'the group has caught up',
    });
  });

  it('processes nothing while dead letters cannot be read, and reads the events again', async () => {
    let isAway = true;
    relay = relayOf(oneRow(2), {
      anyOpen: () => (isAway ? Promise.reject(coded('ECONNREFUSED')) : Promise.resolve(true)),
      openAmong: () => Promise.resolve(['e']),
    });
    await relay.start();
    await jest.advanceTimersByTimeAsync(400);
    isAway = false;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(handle).not.toHaveBeenCalled();
    expect(stored).toEqual([{ bucket: 0, position: { xid: '1', id: '1' } }]);
  });

  it('asks the handler again where exhausted tries could not be kept: one trouble may have caused both', async () => {
    handle.mockRejectedValue(new Error('some trouble'));
    record.mockRejectedValue(coded('25006'));
    await relay.start();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(record).toHaveBeenCalled();
    handle.mockResolvedValue();
    record.mockResolvedValue();
    record.mockClear();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(record).not.toHaveBeenCalled();
  });

  it('keeps a refusal until it is recorded, without calling the handler again', async () => {
    handle.mockRejectedValue(new PermanentEventError('never'));
    record.mockRejectedValueOnce(coded('25006'));
    await relay.start();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(handle).toHaveBeenCalledTimes(1);
    expect(deadLetters().map(({ reason }) => reason)).toEqual(['refused', 'refused']);
  });
});
