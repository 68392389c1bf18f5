import { describe, expect, it } from '@jest/globals';

import { readinessApart } from './readiness.js';

describe('readiness of a gateway whose services run apart', () => {
  const others = async () => ({ payments: 'no connection (ECONNREFUSED)', validation: true }) as const;

  it('is its own, and tells the others without failing for them', async () => {
    expect(await readinessApart('gateway', async () => true, others)).toEqual({
      ready: true,
      checks: { gateway: true, payments: 'no connection (ECONNREFUSED)', validation: true },
    });
    expect(
      await readinessApart(
        'gateway',
        async () => true,
        () => Promise.reject(new RangeError('a bug')),
      ),
    ).toEqual({
      ready: true,
      checks: { gateway: true, services: 'RangeError' },
    });
  });

  it('ends where the gateway’s own database is away', async () => {
    const away = await readinessApart('gateway', () => Promise.reject(new TypeError('no database')), others);
    expect(away).toMatchObject({ ready: false, checks: { gateway: 'TypeError', validation: true } });
    expect(await readinessApart('gateway', async () => 'shutting down', others)).toMatchObject({
      ready: false,
      checks: { gateway: 'shutting down' },
    });
  });
});
