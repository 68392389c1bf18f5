import { describe, expect, it } from '@jest/globals';
import { paymentsApi } from '@vuka/contracts';
import { Cipher } from '@vuka/runtime';

import { PageCursors, type ListScope } from './page-cursor.js';

const cursors = new PageCursors(new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]));
const SCOPE: ListScope = ['transactions', 1, 'KES', null, '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
const LONGEST = ['9'.repeat(19), '32767', '9'.repeat(38)];

describe('a cursor', () => {
  it('opens for its own list, and fits the contract at its longest', () => {
    const cursor = cursors.seal(SCOPE, LONGEST);
    expect(cursors.open(SCOPE, cursor)).toEqual({ ok: true, value: LONGEST });
    expect(paymentsApi.operations.listTransactions.input.shape.cursor.safeParse(cursor).success).toBe(true);
  });

  it('opens for no other partner, list or filter, and under no other key', () => {
    const cursor = cursors.seal(SCOPE, ['a', '1']);
    for (const [part] of SCOPE.entries()) {
      const other = SCOPE.map((value, index) => (index === part ? 'x' : value));
      expect(cursors.open(other, cursor)).toMatchObject({
        ok: false,
        error: { code: 'invalid_request', faults: [{ pointer: '/cursor' }] },
      });
    }
    const elsewhere = new PageCursors(new Cipher([{ id: 'k1', key: Buffer.alloc(32, 8) }]));
    expect(elsewhere.open(SCOPE, cursor).ok).toBe(false);
  });

  it('is refused with any character changed, left out or added', () => {
    const cursor = cursors.seal(SCOPE, ['2026-01-02T03:04:05.678901Z', '1042']);
    for (let at = 0; at < cursor.length; at++) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      expect(cursors.open(SCOPE, `${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`).ok).toBe(false);
      expect(cursors.open(SCOPE, cursor.slice(0, at)).ok).toBe(false);
    }
    for (const text of [`${cursor}A`, `${cursor}.`, `.${cursor}`, '.', 'x', '{}', 'W10.', '\u0000', '💶'])
      expect(cursors.open(SCOPE, text).ok).toBe(false);
  });
});
