import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { DueQueue } from './due-queue.js';

describe('DueQueue', () => {
  it('gives entries by time, and by insertion order for equal times', () => {
    const operation = fc.oneof(fc.record({ atMs: fc.integer({ min: 0, max: 9 }) }), fc.constant('take' as const));
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const queue = new DueQueue<number>();
        const model: { atMs: number; what: number }[] = [];
        operations.forEach((one, what) => {
          if (one === 'take') {
            queue.removeFirst();
            model.shift();
          } else {
            queue.add(one.atMs, what);
            model.push({ atMs: one.atMs, what });
            model.sort((a, b) => a.atMs - b.atMs || a.what - b.what);
          }
          expect(queue.first?.what).toBe(model[0]?.what);
        });
      }),
    );
  });
});
