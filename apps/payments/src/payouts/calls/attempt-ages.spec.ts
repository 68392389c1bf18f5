import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import { leaseFor } from '../../due-work/index.js';
import { AttemptAges } from './attempt-ages.js';

const LEASE_MS = 30_000;
const PROVES_MS = 60_000;
const HOUR_MS = 3_600_000;

describe('how old an attempt is', () => {
  let clock: ManualClock;
  let ages: AttemptAges;
  beforeEach(() => {
    clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
    ages = new AttemptAges(clock, 3);
  });

  const sentNow = (providerReference = 'a') => {
    const lease = leaseFor(LEASE_MS, clock);
    return { providerReference, firstSentAt: lease.from, sentUntil: lease.until, lease };
  };
  const claimedAgain = (attempt: ReturnType<typeof sentNow>) => ({ ...attempt, lease: leaseFor(LEASE_MS, clock) });

  it('is quiet for as long as both clocks say', () => {
    const attempt = sentNow();
    ages.sent(attempt);
    clock.advance(LEASE_MS + PROVES_MS - 1);
    expect(ages.isQuietFor(PROVES_MS, attempt)).toBe(false);
    clock.advance(1);
    expect(ages.isQuietFor(PROVES_MS, attempt)).toBe(true);
  });

  it.each([HOUR_MS, -HOUR_MS])('is not told by a time of day that was set by %i ms', (ms) => {
    const attempt = sentNow();
    ages.sent(attempt);
    clock.set(new Date(clock.now().getTime() + ms));
    clock.advance(LEASE_MS);
    expect(ages.isQuietFor(PROVES_MS, attempt)).toBe(false);
    clock.advance(PROVES_MS);
    expect(ages.isQuietFor(PROVES_MS, attempt)).toBe(ms > 0);
  });

  it('is measured anew by a process that did not send it, from the end of its own lease', () => {
    const attempt = sentNow();
    clock.advance(HOUR_MS);
    expect(ages.isQuietFor(PROVES_MS, attempt)).toBe(false);
    ages.see(claimedAgain(attempt));
    clock.advance(LEASE_MS + PROVES_MS - 1);
    ages.see(claimedAgain(attempt));
    expect(ages.isQuietFor(PROVES_MS, attempt)).toBe(false);
    clock.advance(1);
    expect(ages.isQuietFor(PROVES_MS, attempt)).toBe(true);
  });

  it('begins again with another submit, whoever made it', () => {
    const attempt = sentNow();
    ages.sent(attempt);
    clock.advance(LEASE_MS + PROVES_MS);
    const repeated = { ...attempt, sentUntil: leaseFor(LEASE_MS, clock).until };
    expect(ages.isQuietFor(PROVES_MS, repeated)).toBe(false);
    ages.see(claimedAgain(repeated));
    clock.advance(LEASE_MS + PROVES_MS);
    expect(ages.isQuietFor(PROVES_MS, repeated)).toBe(true);
  });

  it('is never told where no submit was recorded', () => {
    const attempt = { ...sentNow(), sentUntil: null };
    ages.see(attempt);
    clock.advance(HOUR_MS);
    expect(ages.isQuietFor(PROVES_MS, attempt)).toBe(false);
  });

  it('is no less than this process has seen pass, where the time of day was set back', () => {
    const attempt = sentNow();
    ages.sent(attempt);
    clock.advance(HOUR_MS);
    clock.set(new Date(clock.now().getTime() - HOUR_MS / 2));
    expect(ages.sinceFirstSent(attempt)).toBe(HOUR_MS);
    clock.set(new Date(attempt.firstSentAt.getTime() - 1));
    expect(ages.sinceFirstSent(attempt)).toBeNull();
  });

  it('is kept of the newest only, and a forgotten one proves nothing', () => {
    const all = ['a', 'b', 'c', 'd'].map(sentNow);
    for (const one of all) ages.sent(one);
    clock.advance(LEASE_MS + PROVES_MS);
    expect(all.map((one) => ages.isQuietFor(PROVES_MS, one))).toEqual([false, true, true, true]);
  });
});
