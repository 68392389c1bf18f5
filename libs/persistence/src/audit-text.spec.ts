import { describe, expect, it } from '@jest/globals';

import { maskDetails, maskTyped } from './audit-text.js';

describe('what people type, in an audit entry', () => {
  it.each([
    ['paid to 254712345678, ticket 41', 'paid to ***5678, ticket 41'],
    ['called 0712 345 678 twice', 'called ***5678 twice'],
    ['called +254 (712) 345-678', 'called ***5678'],
    ['ann.otieno@example.com asked', '[mail] asked'],
    ['key consumer_sandbox_abcdefgh1234', 'key [redacted]'],
  ])('%s: is kept as %s', (typed, kept) => {
    expect(maskTyped(typed)).toBe(kept);
  });

  it.each([
    'restore of 2026-11-28 17:33, ticket 120',
    'sent as 0x5c50a1b2c3d4e5f60718293a4b5c6d7e8f901234',
    'transaction 1042 of 12.50 KES, 3 of 5',
    'receipt QK7HA8LM2P',
    'statement line 12 of 2026-11-05',
  ])('keeps what is no number of a person: %s', (text) => {
    expect(maskTyped(text)).toBe(text);
  });

  it('is cut at 1,000 characters', () => {
    expect(maskTyped('a '.repeat(900))).toHaveLength(1_000);
  });

  it('is masked in details too, and amounts are not', () => {
    expect(maskDetails({ label: 'of 0712 345 678', amount_minor: '1000000000', number: 1_000_000_000 })).toEqual({
      label: 'of ***5678',
      amount_minor: '1000000000',
      number: 1_000_000_000,
    });
  });
});
