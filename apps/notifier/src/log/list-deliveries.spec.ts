import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { cursorOf, placeOf, storedState } from './list-deliveries.js';

describe('cursors of the log', () => {
  it('lead back to where the page ended, and have room in the contract', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date('9998-01-01'), noInvalidDate: true }),
        fc.nat({ max: Number.MAX_SAFE_INTEGER }),
        (createdAt, id) => {
          const cursor = cursorOf({ createdAt, id });
          expect(cursor.length).toBeLessThanOrEqual(200);
          expect(placeOf(cursor)).toEqual({ ok: true, value: { createdAt, id } });
        },
      ),
    );
  });

  it('never cause an internal error, whatever is sent', () => {
    fc.assert(
      fc.property(fc.string(), (sent) => {
        expect([true, false]).toContain(placeOf(sent).ok);
      }),
    );
    expect(placeOf(null)).toEqual({ ok: true, value: null });
  });
});

it('failed is what the table calls exhausted', () => {
  expect((['delivered', 'failed', 'superseded', 'ended'] as const).map((state) => storedState(state))).toEqual([
    'delivered',
    'exhausted',
    'superseded',
    'ended',
  ]);
});
