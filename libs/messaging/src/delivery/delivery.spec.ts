import { describe, expect, it, jest } from '@jest/globals';
import { CommitOutcomeUnknownError } from '@vuka/persistence';
import { DeadlineExceededError, ServiceUnavailableError } from '@vuka/runtime';
import { z } from 'zod';

import { noDeadLetters } from '../dead-letters/dead-letters.spec-support.js';
import { MAX_ENVELOPE_BYTES, type EventCatalogue } from '../envelope.js';
import type { LogRow } from '../outbox/producer-log.js';
import { deliver } from './delivery.js';
import { PermanentEventError, type Subscription } from './subscription.js';

const catalogue: EventCatalogue = {
  events: { 'thing.done': { topic: 'things', version: 1, data: z.object({ n: z.int() }) } },
  topics: { things: { owner: 'maker', consumers: ['taker'] } },
};
const options = { catalogue, handlerTimeoutMs: 1_000 };

function row(over: Partial<LogRow> = {}): LogRow {
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
    data: { n: 1 },
  });
  const position = { xid: '1', id: '1' };
  return {
    bucket: 0,
    position,
    topic: 'things',
    key: 'k',
    sequence: 1,
    eventId: 'e',
    bytes: text.length,
    text,
    tries: 0,
    cancelledMs: 0,
    cancelledAtMs: null,
    deadLetter: null,
    done: false,
    ...over,
  };
}

const because = (cause: unknown): Error => new ServiceUnavailableError('maker', 'it could not', { cause });
const coded = (code: string): Error => Object.assign(new Error('no'), { code });

function circular(): Error {
  const error = new Error('round and round');
  error.cause = error;
  return error;
}

function taker(handle: Subscription['handle']): Subscription {
  return { group: 'taker', topics: ['things'], deadLetters: noDeadLetters(), handle };
}

describe('deliver', () => {
  it('hands over the parsed event', async () => {
    const handle = jest.fn<Subscription['handle']>().mockResolvedValue();
    await expect(deliver(row(), taker(handle), options)).resolves.toEqual({ kind: 'handled' });
    expect(handle).toHaveBeenCalledWith(expect.objectContaining({ type: 'thing.done', data: { n: 1 } }));
  });

  it.each([
    ['no event', row({ text: 'x' }), 'malformed'],
    ['too big', row({ bytes: MAX_ENVELOPE_BYTES + 1, text: null }), 'too_big'],
  ])('refuses what is %s without a handler call', async (_, given, reason) => {
    const handle = jest.fn<Subscription['handle']>();
    await expect(deliver(given, taker(handle), options)).resolves.toMatchObject({ kind: 'refused', reason });
    expect(handle).not.toHaveBeenCalled();
  });

  it.each([
    ['a permanent error', new PermanentEventError('no'), { kind: 'refused', reason: 'refused' }],
    ['a bug', new TypeError('x is not a function'), { kind: 'failed', detail: 'TypeError: x is not a function' }],
    ['a deadlock', Object.assign(new Error('deadlock'), { code: '40P01' }), { kind: 'outage', isCancelled: false }],
    [
      'a database that is read-only',
      Object.assign(new Error('no'), { code: '25006' }),
      { kind: 'outage', isCancelled: false },
    ],
    ['a full disk', Object.assign(new Error('no'), { code: '53100' }), { kind: 'outage', isCancelled: false }],
    [
      'a statement out of time',
      Object.assign(new Error('no'), { code: '57014' }),
      { kind: 'outage', isCancelled: true },
    ],
    ['a row the database refuses', Object.assign(new Error('no'), { code: '23514' }), { kind: 'failed' }],
    ['a database that is away', Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), { kind: 'outage' }],
    ['a lost answer to COMMIT', new CommitOutcomeUnknownError(new Error('gone')), { kind: 'outage' }],
    ['a part that was kept off by a lock', because(coded('55P03')), { kind: 'outage', isCancelled: false }],
    [
      'a part of a part whose database is away',
      because(new Error('it could not either', { cause: coded('ECONNREFUSED') })),
      { kind: 'outage', isCancelled: false },
    ],
    [
      'any error with a database that is away behind it',
      new Error('it could not', { cause: coded('57P03') }),
      { kind: 'outage', isCancelled: false },
    ],
    ['a part whose statement ran out of time', because(coded('57014')), { kind: 'outage', isCancelled: true }],
    [
      'a part whose answer to COMMIT was lost',
      because(new CommitOutcomeUnknownError(new Error('gone'))),
      { kind: 'outage', isCancelled: false },
    ],
    [
      'a part that was never asked',
      new ServiceUnavailableError('maker', 'it has too much to do', { sent: false }),
      { kind: 'outage', isCancelled: false },
    ],
    [
      'a part that never asked another',
      because(new ServiceUnavailableError('maker', 'no connection', { sent: false })),
      { kind: 'outage', isCancelled: false },
    ],
    [
      'a part that had begun and does not say why it could not',
      because(undefined),
      { kind: 'outage', isCancelled: true },
    ],
    [
      'a part that did not answer in time',
      new DeadlineExceededError('maker', 'make'),
      { kind: 'outage', isCancelled: true },
    ],
    [
      'a part that was not asked in time',
      new DeadlineExceededError('maker', 'make', { sent: false }),
      { kind: 'outage', isCancelled: false },
    ],
    [
      'a part that had no answer of another',
      new Error('no', { cause: new DeadlineExceededError('maker', 'make', { cause: new Error('late') }) }),
      { kind: 'outage', isCancelled: true },
    ],
    ['a part that had a bug', because(new TypeError('x is not a function')), { kind: 'failed' }],
    ['a bug with a refusal of the database behind it', new Error('no', { cause: coded('23514') }), { kind: 'failed' }],
    ['a bug whose cause is itself', circular(), { kind: 'failed' }],
    [
      'a permanent error with an outage behind it',
      new PermanentEventError('no', { cause: coded('55P03') }),
      { kind: 'refused', reason: 'refused' },
    ],
  ])('judges %s', async (_, error, outcome) => {
    await expect(
      deliver(
        row(),
        taker(() => Promise.reject(error)),
        options,
      ),
    ).resolves.toMatchObject(outcome);
  });

  it('masks what looks like a number of somebody in the detail', async () => {
    const outcome = await deliver(
      row(),
      taker(() => Promise.reject(new Error('no 254712345678'))),
      options,
    );
    expect(JSON.stringify(outcome)).not.toContain('254712345678');
  });

  it.each([
    ['is through after all', () => Promise.resolve(), { kind: 'handled' }],
    ['was kept off by a lock', () => Promise.reject(coded('55P03')), { kind: 'outage', isCancelled: false }],
    ['had a statement out of time', () => Promise.reject(coded('57014')), { kind: 'outage', isCancelled: true }],
    ['has a bug', () => Promise.reject(new TypeError('no')), { kind: 'failed', detail: 'TypeError: no' }],
    [
      'hangs',
      () => new Promise<never>(() => undefined),
      { kind: 'failed', detail: 'The handler has not ended after 4000 ms' },
    ],
  ])('judges a handler that is late by its end: one that %s', async (_, end, expected) => {
    jest.useFakeTimers();
    try {
      const outcome = deliver(
        row(),
        taker(() => new Promise((resolve, reject) => void setTimeout(() => void end().then(resolve, reject), 3_000))),
        options,
      );
      await jest.advanceTimersByTimeAsync(1_000);
      const late = await outcome;
      expect(late).toMatchObject({ kind: 'late', detail: expect.stringContaining('1000 ms') });
      const last = late.kind === 'late' ? late.end : undefined;
      await jest.advanceTimersByTimeAsync(3_000);
      await expect(last).resolves.toMatchObject(expected);
    } finally {
      jest.useRealTimers();
    }
  });
});
