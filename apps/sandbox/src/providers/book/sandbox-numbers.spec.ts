import { describe, expect, it } from '@jest/globals';

import {
  behaviourOf,
  DEFAULT_BEHAVIOUR,
  DEFAULT_LOOKUP,
  LOOKUP_NUMBERS,
  lookupBehaviourOf,
  recipientName,
  SANDBOX_NUMBERS,
  sandboxNumber,
} from './sandbox-numbers.js';

describe('sandbox numbers', () => {
  it.each([
    ['0110123456789', '6789'],
    ['0000', '0000'],
    ['12', '12'],
    ['AC-99-0001', '0001'],
    ['constructor', ''],
  ])('of %s is "%s"', (account, number) => {
    expect(sandboxNumber(account)).toBe(number);
  });

  it('are four digits each, and every one of them does something in the end', () => {
    for (const [number, { steps }] of Object.entries(SANDBOX_NUMBERS)) {
      expect(number).toMatch(/^\d{4}$/);
      expect(['pay', 'fail']).toContain(steps[0]?.does);
    }
  });

  it('decide by the table, and all else is paid after a second', () => {
    expect(behaviourOf('0110120005', 'sandbox')).toBe(SANDBOX_NUMBERS['0005']);
    expect(DEFAULT_BEHAVIOUR).toEqual({ steps: [{ after: 1_000, does: 'pay' }] });
    for (const account of ['0110129999', '000', '1', 'toString', ''])
      expect(behaviourOf(account, 'sandbox')).toBe(DEFAULT_BEHAVIOUR);
  });

  it('are the same at both providers, but for the one whose channel is down at the first', () => {
    for (const number of Object.keys(SANDBOX_NUMBERS)) {
      const [first, second] = [behaviourOf(number, 'sandbox'), behaviourOf(number, 'sandbox_b')];
      expect(second).toBe(number === '0010' ? DEFAULT_BEHAVIOUR : first);
    }
  });

  it('have a table of their own for names: found, but for those that are documented', () => {
    const told = ['0000', '0006', '0011', '0001', '7890', '12', ''].map((number) => lookupBehaviourOf(number).status);
    expect(told).toEqual(['NOT_FOUND', 'NAME_UNAVAILABLE', 'FOUND', 'FOUND', 'FOUND', 'FOUND', 'FOUND']);
    expect(Object.keys(LOOKUP_NUMBERS).filter((number) => lookupBehaviourOf(number).withholdsAnswer === true)).toEqual([
      '0011',
    ]);
    expect(lookupBehaviourOf('toString')).toBe(DEFAULT_LOOKUP);
    expect(behaviourOf('0011', 'sandbox')).toBe(DEFAULT_BEHAVIOUR);
  });

  it('names the recipient by the digits', () => {
    expect(recipientName('0110123456789')).toBe('TEST 6789');
  });
});
