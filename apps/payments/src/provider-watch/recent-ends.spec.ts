import { describe, expect, it } from '@jest/globals';

import { RecentEnds } from './recent-ends.js';

const CORRIDOR = { provider: 'a', currency: 'KES', kind: 'mobile', network: 'Safaricom' };
const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 28) + seconds * 1_000);

describe('what ended of a corridor within the hour', () => {
  it('is judged at most once a minute, each corridor by itself', () => {
    const recent = new RecentEnds();
    expect(recent.add(CORRIDOR, { at: at(0), isPaid: true, tookMs: 1_000 })).toEqual({ ended: 1, paid: 1, timed: 1, p95Ms: 1_000 }); // prettier-ignore
    expect(recent.add(CORRIDOR, { at: at(59), isPaid: false, tookMs: null })).toBeNull();
    expect(recent.add({ ...CORRIDOR, network: 'Airtel' }, { at: at(59), isPaid: null, tookMs: 1 })).toEqual({ ended: 0, paid: 0, timed: 1, p95Ms: 1 }); // prettier-ignore
    expect(recent.add(CORRIDOR, { at: at(60), isPaid: true, tookMs: 3_000 })).toEqual({ ended: 3, paid: 2, timed: 2, p95Ms: 3_000 }); // prettier-ignore
  });

  it('leaves out what is older, and recipients that cannot be paid', () => {
    const recent = new RecentEnds();
    recent.add(CORRIDOR, { at: at(0), isPaid: false, tookMs: 9_000_000 });
    recent.add(CORRIDOR, { at: at(3_540), isPaid: null, tookMs: 500 });
    expect(recent.add(CORRIDOR, { at: at(3_600), isPaid: true, tookMs: 700 })).toEqual({ ended: 1, paid: 1, timed: 2, p95Ms: 700 }); // prettier-ignore
  });

  it('takes the time that 95 of 100 do not exceed, of the newest 200', () => {
    const recent = new RecentEnds();
    for (let n = 0; n < 300; n += 1) recent.add(CORRIDOR, { at: at(1), isPaid: true, tookMs: n < 100 ? 1e9 : n - 100 });
    expect(recent.add(CORRIDOR, { at: at(61), isPaid: true, tookMs: 200 })).toEqual({ ended: 200, paid: 200, timed: 200, p95Ms: 190 }); // prettier-ignore
  });
});
