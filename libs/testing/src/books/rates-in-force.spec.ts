import { describe, expect, it } from '@jest/globals';

import { always, RateRecord, ratesBetween } from './rates-in-force.js';

const MINUTE = 60_000;

describe('the rates in force', () => {
  it('are those that were seen, each from the look before it was, until the look that saw another', () => {
    const record = new RateRecord();
    for (const [rate, at] of [
      ['128', 1_000],
      ['128', 2_000],
      ['129', 3_000],
      ['129', 4_000],
      ['128', 5_000],
    ] as const)
      record.note('KES', rate, at);
    record.note('NGN', '1400', 1_000);
    expect(record.rates.get('KES')).toEqual([
      { rate: '128', from: -Infinity, until: 3_000 },
      { rate: '129', from: 2_000, until: 5_000 },
      { rate: '128', from: 4_000, until: Infinity },
    ]);
    expect(record.rates.get('NGN')).toEqual(always('1400'));
  });

  it('may be used for a minute longer, and not before they came', () => {
    const rates = [
      { rate: '128', from: -Infinity, until: MINUTE },
      { rate: '129', from: MINUTE, until: 5 * MINUTE },
      { rate: '130', from: 5 * MINUTE, until: Infinity },
    ];
    expect(ratesBetween(rates, 0, MINUTE - 1)).toEqual(['128']);
    expect(ratesBetween(rates, 2 * MINUTE, 3 * MINUTE)).toEqual(['128', '129']);
    expect(ratesBetween(rates, 2 * MINUTE + 1, 3 * MINUTE)).toEqual(['129']);
    expect(ratesBetween(rates, 7 * MINUTE, 8 * MINUTE)).toEqual(['130']);
  });
});
