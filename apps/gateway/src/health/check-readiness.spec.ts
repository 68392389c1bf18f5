import { describe, expect, it } from '@jest/globals';
import type { Readiness } from '@vuka/service-host';

import { CheckReadiness } from './check-readiness.js';

const READY: Readiness = { ready: true, checks: { payments: true } };

describe('readiness', () => {
  it('asks the services once for all concurrent callers, and again for later ones', async () => {
    const answers: ((readiness: Readiness) => void)[] = [];
    const check = new CheckReadiness({ now: false }, () => new Promise((resolve) => answers.push(resolve)));
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

  it('continues after a round that failed', async () => {
    let fails = true;
    const check = new CheckReadiness({ now: false }, async () => (fails ? Promise.reject(new Error('away')) : READY));
    expect((await check.run()).ok).toBe(false);
    fails = false;
    expect((await check.run()).ok).toBe(true);
  });
});
