import { describe, expect, it } from '@jest/globals';
import type { JobClock } from '@vuka/jobs';
import { ManualClock, type Logger } from '@vuka/platform';

import { PayoutWake } from './payout-wake.js';

/** The wake with a job clock that the test fires, and the polls it has woken. */
function wakeOf(): { wake: PayoutWake; clock: ManualClock; fire: () => string[] } {
  const clock = new ManualClock(new Date('2026-11-21T12:00:00Z'));
  const ticks = new Map<string, () => unknown>();
  const jobs = { every: (queue: string, tick: () => unknown) => ticks.set(queue, tick), wakeAt: () => Promise.resolve() } as unknown as JobClock;
  const wake = new PayoutWake(jobs, { crowded: false }, clock, {} as Logger);
  const woken: string[] = [];
  wake.polls.notify = (rail) => { woken.push(rail ?? 'all'); };
  wake.register();
  return { wake, clock, fire: () => { ticks.get('payments.poll-payouts')?.(); return woken.splice(0); } };
}

const after = (clock: ManualClock, ms: number): Date => new Date(clock.now().getTime() + ms);

describe('the alarm of a poll', () => {
  it('wakes the rail each time one was asked for, the later ones too, and no other rail', () => {
    const { wake, clock, fire } = wakeOf();
    wake.pollAt('a', after(clock, 1_000));
    wake.pollAt('a', after(clock, 1_500));
    wake.pollAt('b', after(clock, 2_000));
    expect(fire()).toEqual([]);
    const woken: string[][] = [];
    for (let steps = 0; steps < 4; steps++) {
      clock.advance(500);
      woken.push(fire());
    }
    expect(woken).toEqual([[], ['a'], ['a'], ['b']]);
  });
});
