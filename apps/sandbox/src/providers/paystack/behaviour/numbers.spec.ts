import { describe, expect, it } from '@jest/globals';

import { behaviourOf, DEFAULT_BEHAVIOUR, NUMBERS } from './numbers.js';
import { CALL_REFUSALS, FAILURE_TEXTS, REFUSALS } from './refusals.js';

describe("the Paystack simulator's numbers", () => {
  it('are four digits each, with a sentence', () => {
    for (const [number, { sentence }] of Object.entries(NUMBERS)) {
      expect(number).toMatch(/^\d{4}$/);
      expect(sentence).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('decide by the last four digits, and all else is paid', () => {
    expect(behaviourOf('0123450105')).toBe(NUMBERS['0105']);
    for (const account of ['0123451234', '12', 'constructor', '']) expect(behaviourOf(account)).toBe(DEFAULT_BEHAVIOUR);
  });

  it('are not taken and refused at once', () => {
    for (const { refuses, answer } of Object.values(NUMBERS))
      expect(refuses !== undefined && answer !== undefined).toBe(false);
  });

  it('have one for each refusal of a call and each word of a failure', () => {
    const refused = Object.values(NUMBERS).flatMap(({ refuses }) => refuses ?? []);
    expect(refused).toEqual(CALL_REFUSALS.map((name) => REFUSALS[name]));
    const failures = Object.entries(NUMBERS).filter(([number]) => number.startsWith('05'));
    expect(failures.map(([, { course }]) => course[0]?.failure)).toEqual([...FAILURE_TEXTS]);
  });
});
