import { describe, expect, it } from '@jest/globals';

import { healthOf, type RunningService } from './service.js';

const service = (name: string, ready: RunningService['ready']): RunningService => ({
  name,
  ready,
  start: async () => undefined,
  stop: async () => undefined,
});

describe('health', () => {
  it('is ready when every service is', async () => {
    const all = [service('gateway', async () => true), service('payments', async () => true)];
    expect(await healthOf(all)).toEqual({ ready: true, services: { gateway: 'ready', payments: 'ready' } });
  });

  it('names each one that is not: with its reason, its error, or late', async () => {
    const health = await healthOf(
      [
        service('gateway', async () => true),
        service('payments', async () => 'the database does not answer'),
        service('notifier', () => Promise.reject(new RangeError('password=x'))),
        service('offramp', () => new Promise(() => undefined)),
      ],
      5,
    );
    expect(health).toEqual({
      ready: false,
      services: {
        gateway: 'ready',
        payments: 'the database does not answer',
        notifier: 'RangeError',
        offramp: 'no answer in 5 ms',
      },
    });
  });
});
