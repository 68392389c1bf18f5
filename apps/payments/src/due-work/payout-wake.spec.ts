import { describe, expect, it } from '@jest/globals';
import type { JobClock, Wake, WakeReason } from '@vuka/jobs';
import { type Logger, ManualClock } from '@vuka/runtime';

import { PayoutWake } from './payout-wake.js';

/** With a job clock that the test fires. */
function wakeOf(): { wake: PayoutWake; clock: ManualClock; fire: (reason: WakeReason) => string[] } {
  const clock = new ManualClock(new Date('2026-11-21T12:00:00Z'));
  const ticks = new Map<string, Wake>();
  const jobs = {
    every: (queue: string, tick: Wake) => ticks.set(queue, tick),
    wakeAt: () => Promise.resolve(),
  } as unknown as JobClock;
  const wake = new PayoutWake(jobs, { crowded: false }, clock, {} as Logger);
  const woken: string[] = [];
  wake.polls.notify = (provider) => {
    woken.push(provider ?? 'all');
  };
  wake.register();
  return {
    wake,
    clock,
    fire: (reason) => {
      void ticks.get('payments.poll-payouts')?.(reason);
      return woken.splice(0);
    },
  };
}

const after = (clock: ManualClock, ms: number): Date => new Date(clock.now().getTime() + ms);

describe('the alarm of a poll', () => {
  it('wakes the provider each time one was asked for, the later ones too, and no other provider', () => {
    const { wake, clock, fire } = wakeOf();
    wake.pollAt('a', after(clock, 1_000));
    wake.pollAt('a', after(clock, 1_500));
    wake.pollAt('b', after(clock, 2_000));
    expect(fire('tick')).toEqual([]);
    const woken: string[][] = [];
    for (let steps = 0; steps < 4; steps++) {
      clock.advance(500);
      woken.push(fire('tick'));
    }
    expect(woken).toEqual([[], ['a'], ['a'], ['b']]);
  });

  it('that finds nothing of ours is another process’s, for any provider; a tick that finds nothing is nobody’s', () => {
    const { wake, clock, fire } = wakeOf();
    expect([fire('tick'), fire('alarm')]).toEqual([[], ['all']]);
    wake.pollAt('a', after(clock, 1_000));
    clock.advance(1_000);
    expect([fire('alarm'), fire('alarm')]).toEqual([['a'], ['all']]);
  });
});
