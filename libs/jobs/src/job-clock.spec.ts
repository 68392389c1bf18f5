import { describe, expect, it, jest } from '@jest/globals';
import { createLogger, ManualClock } from '@vuka/runtime';

import { JobClock } from './job-clock.js';
import { QUEUES } from './queues.js';

const now = new Date('2026-11-21T10:00:00.000Z');

function clockNobodyStarted(): JobClock {
  return new JobClock({
    connection: { kind: 'postgres', connectionString: 'postgres://nobody@127.0.0.1:1/none', schema: 'jobs' },
    log: createLogger('test', { level: 'silent' }),
    clock: new ManualClock(now),
  });
}

describe('the queue catalogue', () => {
  it.each(Object.entries(QUEUES))('names %s as BullMQ and the architecture want it', (name, { everyMs }) => {
    expect(name).toMatch(/^[a-z]+\.[a-z]+(-[a-z]+)+$/);
    expect(everyMs).toBeGreaterThanOrEqual(1_000);
  });
});

describe('JobClock', () => {
  it('wakes at once for what is due already', async () => {
    const clock = clockNobodyStarted();
    const wake = jest.fn<() => void>();
    clock.every('payments.poll-payouts', wake);
    await clock.wakeAt('payments.poll-payouts', now);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  it('survives a wake that throws or rejects', async () => {
    const clock = clockNobodyStarted();
    clock.every('payments.poll-payouts', () => {
      throw new Error('a bug');
    });
    clock.every('payments.submit-payouts', () => Promise.reject(new Error('a bug')));
    await expect(clock.wakeAt('payments.poll-payouts', now)).resolves.toBeUndefined();
    await expect(clock.wakeAt('payments.submit-payouts', now)).resolves.toBeUndefined();
  });

  it('refuses two wakes for one queue', () => {
    const clock = clockNobodyStarted();
    clock.every('payments.poll-payouts', () => undefined);
    expect(() => clock.every('payments.poll-payouts', () => undefined)).toThrow('woken twice');
  });

  it('stops though it never started', async () => {
    await expect(clockNobodyStarted().stop()).resolves.toBeUndefined();
  });
});
