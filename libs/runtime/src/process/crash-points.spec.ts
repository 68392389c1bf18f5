import { afterEach, describe, expect, it } from '@jest/globals';

import { CRASH_POINTS, armCrashPoint, crashPoint, parseCrashAt } from './crash-points.js';

afterEach(() => armCrashPoint(undefined));

describe('a crash point', () => {
  it('does nothing where none is armed', () => {
    for (const point of CRASH_POINTS) crashPoint(point);
  });

  it('dies the n-th time it is reached, whatever other points are reached', () => {
    const died: string[] = [];
    armCrashPoint({ point: 'event-bus.after-handler', time: 3 }, (point) => died.push(point));
    for (const point of CRASH_POINTS) crashPoint(point);
    crashPoint('event-bus.after-handler');
    expect(died).toEqual([]);
    crashPoint('event-bus.after-handler');
    crashPoint('event-bus.after-handler');
    expect(died).toEqual(['event-bus.after-handler']);
  });

  it.each([
    ['payments.before-commit', { point: 'payments.before-commit', time: 1 }],
    ['payments.before-commit:12', { point: 'payments.before-commit', time: 12 }],
    ['payments.before-commit:0', undefined],
    ['payments.before-commit:', undefined],
    ['payments.before-commit:1.5', undefined],
    ['payments.sometime', undefined],
    ['', undefined],
  ])('is named as %j', (text, expected) => {
    expect(parseCrashAt(text)).toEqual(expected);
  });
});
