import { describe, expect, it } from '@jest/globals';

import { MalformedAnswerError } from '../reader/json-values.js';

import { readTransaction } from './transaction.js';

const [OUTER, INNER] = ['a'.repeat(64), 'b'.repeat(64)];
const PLAIN = {
  hash: OUTER,
  successful: true,
  ledger: 59_000_000,
  created_at: '2026-11-20T10:00:00Z',
  memo_type: 'none',
  operation_count: 2,
};
const BUMP = {
  ...PLAIN,
  fee_bump_transaction: { hash: OUTER, signatures: [] },
  inner_transaction: { hash: INNER, signatures: [], max_fee: '100' },
};

describe('a transaction of Horizon', () => {
  it('is named by its hash, a fee bump by its outer one, whichever was asked for', () => {
    expect(readTransaction(PLAIN)).toEqual({
      transactionId: OUTER,
      hashes: new Set([OUTER]),
      succeeded: true,
      ledger: 59_000_000,
      timeMs: Date.parse('2026-11-20T10:00:00Z'),
      memo: { kind: 'none' },
      operations: 2,
    });
    for (const hash of [OUTER, INNER])
      expect(readTransaction({ ...BUMP, hash })).toMatchObject({
        transactionId: OUTER,
        hashes: new Set([OUTER, INNER]),
      });
    expect(readTransaction({ ...PLAIN, successful: false })).toMatchObject({ succeeded: false });
  });

  it.each([
    [
      { memo_type: 'id', memo: '420' },
      { kind: 'id', id: 420n },
    ],
    [
      { memo_type: 'id', memo: '0' },
      { kind: 'id', id: 0n },
    ],
    [
      { memo_type: 'id', memo: '18446744073709551615' },
      { kind: 'id', id: 2n ** 64n - 1n },
    ],
    [{ memo_type: 'text', memo: '420', memo_bytes: 'NDIw' }, { kind: 'other' }],
    [{ memo_type: 'text', memo: '' }, { kind: 'other' }],
    [{ memo_type: 'hash', memo: 'AAAA' }, { kind: 'other' }],
    [{ memo_type: 'return', memo: 'AAAA' }, { kind: 'other' }],
  ])('has a memo by its type: %j', (told, memo) => {
    expect(readTransaction({ ...PLAIN, ...told }).memo).toEqual(memo);
  });

  it.each([
    ['no hash', { ...PLAIN, hash: undefined }],
    ['a hash in upper case', { ...PLAIN, hash: OUTER.toUpperCase() }],
    ['a hash that is neither of its two', { ...BUMP, hash: 'c'.repeat(64) }],
    ['a fee bump of nothing', { ...BUMP, inner_transaction: undefined }],
    ['an inner one without a fee bump', { ...BUMP, fee_bump_transaction: null }],
    ['no word of success', { ...PLAIN, successful: undefined }],
    ['success as a text', { ...PLAIN, successful: 'true' }],
    ['a ledger that is none', { ...PLAIN, ledger: '59000000' }],
    ['a time that is none', { ...PLAIN, created_at: '2026-13-20T10:00:00Z' }],
    ['a memo of a new type', { ...PLAIN, memo_type: 'emoji', memo: '420' }],
    ['no count of operations', { ...PLAIN, operation_count: undefined }],
    ['no memo type', { ...PLAIN, memo_type: undefined }],
    ['an id that is none', { ...PLAIN, memo_type: 'id', memo: 420 }],
    ['an id beyond 64 bits', { ...PLAIN, memo_type: 'id', memo: '18446744073709551616' }],
    ['nothing', null],
  ])('is not believed with %s', (_, answer) => {
    expect(() => readTransaction(answer)).toThrow(MalformedAnswerError);
  });
});
