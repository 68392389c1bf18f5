import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import {
  DELIVERY_ERRORS,
  RETRY_AFTER_MAX_MS,
  RETRY_DELAYS_MS,
  RETRY_JITTER,
  judgeAttempt,
  retryDelaysOf,
  wasReached,
  type AttemptOutcome,
} from './retry-schedule.js';

const now = new Date('2026-11-21T10:00:00.000Z');
const answered = (status: number, retryAfter: string | null = null): AttemptOutcome => ({
  kind: 'answered',
  status,
  retryAfter,
});
const delayOf = (outcome: AttemptOutcome, attempt = 1, random = 0): number => {
  const verdict = judgeAttempt(outcome, attempt, now, random);
  if (verdict.state !== 'pending') throw new Error(`expected a retry, got ${verdict.state}`);
  return verdict.nextAttemptAt.getTime() - now.getTime();
};

describe('judgeAttempt', () => {
  it.each([200, 201, 202, 204, 299])('takes %d for success', (status) => {
    expect(judgeAttempt(answered(status), 1, now, 0)).toEqual({ state: 'delivered' });
  });

  it.each([100, 199, 300, 301, 302, 307, 308, 400, 401, 404, 409, 429, 500, 502, 503, 504])(
    'tries again after %d',
    (status) => {
      expect(judgeAttempt(answered(status), 1, now, 0).state).toBe('pending');
    },
  );

  it('ends at 410, whichever attempt it is', () => {
    expect(judgeAttempt(answered(410), 1, now, 0)).toEqual({ state: 'ended' });
    expect(judgeAttempt(answered(410), 10, now, 0)).toEqual({ state: 'ended' });
  });

  it('follows the published schedule and then rests', () => {
    const delays = RETRY_DELAYS_MS.map((_, index) => delayOf({ kind: 'failed', error: 'timeout' }, index + 1));
    const [s, min, h] = [1_000, 60_000, 3_600_000];
    expect(delays).toEqual([5 * s, 30 * s, 2 * min, 10 * min, h, 3 * h, 6 * h, 12 * h, 24 * h]);
    expect(judgeAttempt(answered(500), RETRY_DELAYS_MS.length + 1, now, 0)).toEqual({ state: 'exhausted' });
  });

  it('lengthens a delay by its jitter, never shortens it', () => {
    expect(delayOf(answered(500), 3, 0.5)).toBe(120_000 * (1 + RETRY_JITTER / 2));
    expect(delayOf(answered(500), 3, 0.999)).toBeLessThanOrEqual(120_000 * (1 + RETRY_JITTER));
  });

  it.each([
    ['seconds', '60', 60_000],
    ['an HTTP date', 'Sat, 21 Nov 2026 10:02:00 GMT', 120_000],
    ['fewer seconds than the schedule', '1', 5_000],
    ['a date that has passed', 'Sat, 21 Nov 2026 09:00:00 GMT', 5_000],
    ['more than a day', '9999999999', RETRY_AFTER_MAX_MS],
    ['a date far away', 'Sun, 21 Nov 2027 10:00:00 GMT', RETRY_AFTER_MAX_MS],
    ['no date', 'Sat, 99 Abc 2026 10:02:00 GMT', 5_000],
    ['a negative number', '-5', 5_000],
    ['a fraction', '1.5', 5_000],
    ['another date form', '2026-11-21T10:02:00Z', 5_000],
    ['nothing', '', 5_000],
  ])('honours Retry-After in bounds: %s', (_, header, expected) => {
    expect(delayOf(answered(503, header))).toBe(expected);
  });

  it('is never sooner than the schedule, never later than it and its jitter or what the receiver asks for, and ends', () => {
    const outcome = fc.oneof(
      fc.record({ kind: fc.constant('failed' as const), error: fc.constantFrom(...DELIVERY_ERRORS) }),
      fc.record({
        kind: fc.constant('answered' as const),
        status: fc.integer({ min: 100, max: 599 }),
        retryAfter: fc.option(
          fc.oneof(
            fc.string(),
            fc.nat().map(String),
            fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
          ),
        ),
      }),
    );
    fc.assert(
      fc.property(
        outcome,
        fc.integer({ min: 1, max: 12 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (what, attempt, random) => {
          const verdict = judgeAttempt(what, attempt, now, random);
          const delay = RETRY_DELAYS_MS[attempt - 1];
          const status = what.kind === 'answered' ? what.status : 0;
          const expected =
            status >= 200 && status < 300
              ? 'delivered'
              : status === 410
                ? 'ended'
                : delay === undefined
                  ? 'exhausted'
                  : 'pending';
          expect(verdict.state).toBe(expected);
          if (verdict.state !== 'pending' || delay === undefined) return;
          const waits = verdict.nextAttemptAt.getTime() - now.getTime();
          expect(waits).toBeGreaterThanOrEqual(delay);
          expect(waits).toBeLessThanOrEqual(Math.max(Math.ceil(delay * (1 + RETRY_JITTER)), RETRY_AFTER_MAX_MS));
          if (what.kind === 'failed') expect(waits).toBeLessThanOrEqual(Math.ceil(delay * (1 + RETRY_JITTER)));
        },
      ),
    );
  });

  it('gives a test no retries', () => {
    expect(judgeAttempt(answered(500), 1, now, 0, retryDelaysOf('webhook.test'))).toEqual({ state: 'exhausted' });
    expect(retryDelaysOf('transaction.complete')).toBe(RETRY_DELAYS_MS);
  });
});

describe('wasReached', () => {
  it('counts any answer as reached, a missing answer as not reached, and our own fault as neither', () => {
    expect(wasReached(answered(503))).toBe(true);
    expect(wasReached({ kind: 'failed', error: 'timeout' })).toBe(false);
    expect(wasReached({ kind: 'failed', error: 'internal' })).toBeNull();
  });
});
