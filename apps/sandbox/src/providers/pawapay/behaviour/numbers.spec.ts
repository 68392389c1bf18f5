import { describe, expect, it } from '@jest/globals';

import { behaviourOf, DEFAULT_BEHAVIOUR, NUMBERS } from './numbers.js';

describe("the pawaPay simulator's numbers", () => {
  it('are four digits each', () => {
    for (const number of Object.keys(NUMBERS)) expect(number).toMatch(/^\d{4}$/);
  });

  it('decide by the last four digits, and all else is paid', () => {
    expect(behaviourOf('265993450105')).toBe(NUMBERS['0105']);
    for (const phone of ['265993451234', '12', 'constructor', '']) expect(behaviourOf(phone)).toBe(DEFAULT_BEHAVIOUR);
  });

  it('are not taken and rejected at once', () => {
    for (const { rejects, answer } of Object.values(NUMBERS))
      expect(rejects !== undefined && answer !== undefined).toBe(false);
  });
});
