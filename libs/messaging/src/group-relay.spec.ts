import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger, ManualClock } from '@vuka/platform';
import { z } from 'zod';

import { OUTBOX_BUCKETS } from './buckets.js';
import type { DeadLetter } from './dead-letters.js';
import { noDeadLetters } from './dead-letters.spec-support.js';
import { GroupRelay } from './group-relay.js';
import type { LogRow, ProducerLog } from './producer-log.js';
import { PermanentEventError, type Subscription } from './wire.js';

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
  const state = { tries: 0, cancelled: 0, letter: null, done: false };
  return { bucket: 0, position, topic: 'things', key: 'k', sequence: 1, eventId: 'e', bytes: text.length, text, ...state };
}

/** A log that holds one event. */
function oneRow(): ProducerLog {
  const rows = [row()];
  const log: Pick<ProducerLog, keyof ProducerLog> = {
    cursors: async () => Array.from({ length: OUTBOX_BUCKETS }, () => ({ xid: '0', id: '0' })),
    read: async () => rows.splice(0),
    store: async () => undefined,
    backlog: async () => ({ oldestAt: null, isHeldBack: false }),
  };
  return log as ProducerLog;
}

describe('the relay', () => {
  let handle: jest.Mock<Subscription['handle']>;
  let record: jest.Mock<Subscription['deadLetters']['record']>;
  let relay: GroupRelay;

  beforeEach(async () => {
    jest.useFakeTimers();
    handle = jest.fn<Subscription['handle']>().mockResolvedValue();
    record = jest.fn<Subscription['deadLetters']['record']>().mockResolvedValue();
    const catalogue = {
      events: { 'thing.done': { topic: 'things', version: 1, data: z.object({}) } },
      topics: { things: { owner: 'maker', consumers: ['taker'] } },
    };
    relay = new GroupRelay(oneRow(), { group: 'taker', topics: ['things'], deadLetters: noDeadLetters({ record }), handle }, ['things'], {
      log: createLogger('test', { level: 'silent' }),
      clock: new ManualClock(new Date('2026-11-21T10:00:00.000Z')),
      catalogue,
      handlerTimeoutMs: 1_000,
      heldBackAfterMs: 10_000,
      retry: { tries: 5, firstDelayMs: 100, maxDelayMs: 5_000 },
    });
  });
  afterEach(async () => {
    await relay.stop();
    jest.useRealTimers();
  });

  const letters = (): DeadLetter[] => record.mock.calls.map(([letter]) => letter);

  it.each(['25006', '53100', '40P01', '55P03', '57P03'])('waits for as long as the database answers %s, and loses nothing', async (code) => {
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
  });

  it('gives up an event whose statements run out of time, but only after very many', async () => {
    handle.mockRejectedValue(coded('57014'));
    await relay.start();
    await jest.advanceTimersByTimeAsync(290_000);
    expect(record).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(20_000);
    expect(letters()).toEqual([expect.objectContaining({ reason: 'tries_exhausted' })]);
    expect(handle).toHaveBeenCalledTimes(600);
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

  it('keeps a refusal until it is recorded, and asks no more', async () => {
    handle.mockRejectedValue(new PermanentEventError('never'));
    record.mockRejectedValueOnce(coded('25006'));
    await relay.start();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(handle).toHaveBeenCalledTimes(1);
    expect(letters().map(({ reason }) => reason)).toEqual(['refused', 'refused']);
  });
});
