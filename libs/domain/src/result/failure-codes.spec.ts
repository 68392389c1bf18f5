import { describe, expect, it } from '@jest/globals';

import { ERROR_CATALOGUE } from './errors.js';
import { FAILURE_CODES, isFailureCode } from './failure-codes.js';

describe('failure codes', () => {
  it.each(Object.entries(FAILURE_CODES))('%s has a plain sentence', (code, sentence) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(sentence).toMatch(/^The .+\.$|^No .+\.$/);
    expect(isFailureCode(code)).toBe(true);
  });

  // decisions.md section 1.
  it('say the words that clients search for', () => {
    expect(FAILURE_CODES.underpaid).toContain('mismatch equivalent amount in USD');
    expect(FAILURE_CODES.hash_already_processed).toContain('already been processed');
  });

  it('are a closed list', () => {
    expect(isFailureCode('toString')).toBe(false);
    expect(isFailureCode('')).toBe(false);
  });
});

describe('error codes', () => {
  it.each(Object.entries(ERROR_CATALOGUE))('%s is an error with a title', (_, { status, title }) => {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(title).toMatch(/^[A-Z]/);
  });
});
