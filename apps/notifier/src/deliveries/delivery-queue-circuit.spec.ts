import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import {
  CIRCUIT_RULES,
  afterOutcome,
  type DeliveryQueueOutcome,
  type DeliveryQueueTrouble,
} from './delivery-queue-circuit.js';
import { RETRY_DELAYS_MS } from './retry-schedule.js';

const start = new Date('2026-11-22T10:00:00.000Z');
const after = (ms: number): Date => new Date(start.getTime() + ms);
const failed = (failures = 1): DeliveryQueueOutcome => ({ partnerId: 1, host: 'h', isAnswered: false, failures });
const answered: DeliveryQueueOutcome = { partnerId: 1, host: 'h', isAnswered: true, failures: 0 };
const { openAfter, firstPauseMs, longestPauseMs, jitter, forgetMs } = CIRCUIT_RULES;

/** First pause, over at `heldUntil`. */
const open = (): DeliveryQueueTrouble => afterOutcome(null, failed(openAfter), start, 0)!;
const probe = (trouble: DeliveryQueueTrouble): DeliveryQueueTrouble => ({ ...trouble, isProbed: true });

describe('a receiver', () => {
  it('is held back after a fixed number of failures in a row, not earlier', () => {
    const almost = afterOutcome(null, failed(openAfter - 1), start, 0);
    expect(almost).toMatchObject({ heldUntil: null, failures: openAfter - 1 });
    expect(afterOutcome(almost, failed(), after(1_000), 0)?.heldUntil).toEqual(after(1_000 + firstPauseMs));
  });

  it('that answers is healthy, and failures count from its last answer', () => {
    expect(afterOutcome(open(), answered, after(1), 0)).toBeNull();
    expect(afterOutcome(open(), { ...answered, failures: 2 }, after(1), 0)).toMatchObject({
      failures: 2,
      heldUntil: null,
    });
  });

  it('is not held back longer because of calls that were already running', () => {
    expect(afterOutcome(open(), failed(20), after(3_000), 0)).toMatchObject({
      heldUntil: open().heldUntil,
      pauses: 1,
      failures: openAfter + 20,
    });
  });

  it('is held longer after each probe that fails, up to a bound, with jitter', () => {
    let trouble = open();
    const pauses = Array.from({ length: 8 }, () => {
      const at = trouble.heldUntil!;
      trouble = afterOutcome(probe(trouble), failed(), at, 0)!;
      expect(trouble.isProbed).toBe(false);
      return trouble.heldUntil!.getTime() - at.getTime();
    });
    expect(pauses).toEqual([10_000, 20_000, 40_000, 80_000, 120_000, 120_000, 120_000, 120_000]);
    expect(afterOutcome(probe(open()), failed(), start, 0.5)!.heldUntil).toEqual(after(10_000 * (1 + jitter / 2)));
  });

  it('that got no POST for long starts again', () => {
    const known = afterOutcome(null, failed(openAfter - 1), start, 0);
    expect(afterOutcome(known, failed(), after(forgetMs + 1), 0)).toMatchObject({ failures: 1, heldUntil: null });
  });

  it('with few deliveries is never held back: only their schedule applies', () => {
    const deliveries = Math.floor(openAfter / 4);
    let trouble: DeliveryQueueTrouble | null = null;
    let at = 0;
    for (const delay of [0, ...RETRY_DELAYS_MS]) {
      at += delay;
      for (let one = 0; one < deliveries; one += 1) trouble = afterOutcome(trouble, failed(), after(at), 0);
      expect(trouble).toMatchObject({ heldUntil: null });
    }
  });

  it('is never held for more than the longest pause, and an answer always ends it', () => {
    const outcome = fc.record({
      wait: fc.integer({ min: 0, max: 200_000 }),
      failures: fc.integer({ min: 0, max: 64 }),
      isAnswered: fc.boolean(),
      isProbe: fc.boolean(),
      random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 60 }), (outcomes) => {
        let trouble: DeliveryQueueTrouble | null = null;
        let at = 0;
        for (const { wait, failures, isAnswered, isProbe, random } of outcomes) {
          at += wait;
          const before: DeliveryQueueTrouble | null = trouble === null ? null : { ...trouble, isProbed: isProbe };
          trouble = afterOutcome(before, { partnerId: 1, host: 'h', isAnswered, failures }, after(at), random);
          if (isAnswered && failures === 0) expect(trouble).toBeNull();
          const held = trouble?.heldUntil ?? null;
          if (trouble === null || held === null) continue;
          expect(held.getTime() - after(at).getTime()).toBeLessThanOrEqual(longestPauseMs * (1 + jitter) + 1);
          expect(trouble.failures).toBeGreaterThanOrEqual(openAfter);
        }
      }),
    );
  });
});
