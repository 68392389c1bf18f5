import { describe, expect, it } from '@jest/globals';

import { ScheduleWatch } from './schedule-watch.js';

const EVERY_MS = 1_000;
const GRACE_MS = 2_000;

function judged(looks: readonly (readonly [nowMs: number, nextMs: number | undefined])[]): string[] {
  const watch = new ScheduleWatch(GRACE_MS);
  return looks.map(([nowMs, nextMs]) => watch.judge('q', EVERY_MS, nextMs, nowMs));
}

describe('a schedule', () => {
  it('runs while its next run moves on, wherever the clocks of others stand', () => {
    expect(
      judged([
        [0, 50_000],
        [3_000, 53_000],
        [6_000, 10],
        [9_000, 9_999_999],
      ]),
    ).toEqual(['runs', 'runs', 'runs', 'runs']);
  });

  it('is stuck once its next run has stood still for its interval and the grace, and then has its time again', () => {
    expect(
      judged([
        [0, 7],
        [3_000, 7],
        [3_001, 7],
        [3_002, 7],
        [6_002, 7],
        [6_003, 7],
      ]),
    ).toEqual(['runs', 'runs', 'stuck', 'runs', 'runs', 'stuck']);
  });

  it('is gone where the store knows none, and new when it does again', () => {
    expect(
      judged([
        [0, undefined],
        [10_000, 7],
        [13_000, 7],
        [13_500, undefined],
        [14_000, 7],
        [17_000, 7],
      ]),
    ).toEqual(['gone', 'runs', 'runs', 'gone', 'runs', 'runs']);
  });
});
