import { describe, expect, it } from '@jest/globals';

import { behaviourOf, DEFAULT_BEHAVIOUR, NUMBERS } from './numbers.js';

describe("the Chapa simulator's numbers", () => {
  it('are four digits each, with a sentence', () => {
    for (const [number, { sentence }] of Object.entries(NUMBERS)) {
      expect(number).toMatch(/^\d{4}$/);
      expect(sentence).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('decide by the last four digits, and all else is paid', () => {
    expect(behaviourOf('0912340103')).toBe(NUMBERS['0103']);
    for (const account of ['0912341234', '12', 'constructor', '']) expect(behaviourOf(account)).toBe(DEFAULT_BEHAVIOUR);
  });

  it('are not taken and rejected at once', () => {
    for (const { rejects, answer } of Object.values(NUMBERS))
      expect(rejects !== undefined && answer !== undefined).toBe(false);
  });

  it('ask once with an answer that decides, or pay anyway', () => {
    for (const { approvals } of Object.values(NUMBERS)) {
      if (approvals === undefined) continue;
      const deciding = approvals.asks.filter(({ isIdle }) => isIdle !== true);
      expect(deciding).toHaveLength(approvals.paysAnyway === true ? 0 : 1);
    }
  });
});
