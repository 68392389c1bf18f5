import { describe, expect, it } from '@jest/globals';

import { CheckReadiness, readinessApart, type Readiness } from './check-readiness.js';

const READY: Readiness = { ready: true, checks: { payments: true } };

describe('readiness', () => {
  it('asks the services once for all who ask meanwhile, and again for who comes later', async () => {
    const answers: ((readiness: Readiness) => void)[] = [];
    const check = new CheckReadiness({
      draining: { now: false },
      readiness: () => new Promise((resolve) => answers.push(resolve)),
    });
    const first = Promise.all([check.run(), check.run(), check.run()]);
    expect(answers).toHaveLength(1);
    answers[0]?.(READY);
    expect((await first).map(({ ok }) => ok)).toEqual([true, true, true]);
    const later = check.run();
    answers[1]?.({ ready: false, checks: { payments: 'the database is away' } });
    expect(await later).toEqual({
      ok: false,
      error: { code: 'service_unavailable', message: 'Not ready: payments (the database is away)' },
    });
  });

  it('goes on after a round that failed', async () => {
    let fails = true;
    const check = new CheckReadiness({
      draining: { now: false },
      readiness: async () => (fails ? Promise.reject(new Error('away')) : READY),
    });
    expect((await check.run()).ok).toBe(false);
    fails = false;
    expect((await check.run()).ok).toBe(true);
  });
});

describe('readiness of a gateway whose services run apart', () => {
  const others = async () => ({ payments: 'no connection (ECONNREFUSED)', validation: true }) as const;

  it('is its own, and tells the others without failing for them', async () => {
    expect(await readinessApart(async () => true, others)).toEqual({
      ready: true,
      checks: { gateway: true, payments: 'no connection (ECONNREFUSED)', validation: true },
    });
    expect(
      await readinessApart(
        async () => true,
        () => Promise.reject(new RangeError('a bug')),
      ),
    ).toEqual({
      ready: true,
      checks: { gateway: true, services: 'RangeError' },
    });
  });

  it('ends where the gateway’s own database is away', async () => {
    const away = await readinessApart(() => Promise.reject(new TypeError('no database')), others);
    expect(away).toMatchObject({ ready: false, checks: { gateway: 'TypeError', validation: true } });
    expect(await readinessApart(async () => 'shutting down', others)).toMatchObject({
      ready: false,
      checks: { gateway: 'shutting down' },
    });
  });
});
