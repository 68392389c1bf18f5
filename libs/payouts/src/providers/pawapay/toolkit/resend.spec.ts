import { describe, expect, it } from '@jest/globals';

import { readResend } from './resend.js';
import { json, PAYOUT_ID } from '../shapes.spec-support.js';

const read = (status: number, fields: object = {}) =>
  readResend(json(status, { payoutId: PAYOUT_ID, status: 'ACCEPTED', ...fields }), PAYOUT_ID);

describe('asking pawaPay to call back again', () => {
  it('is taken, or refused by a code', () => {
    expect(read(200)).toEqual({ outcome: 'resent' });
    expect(read(200, { payoutId: PAYOUT_ID.toUpperCase() })).toEqual({ outcome: 'resent' });
    const refused = { status: 'REJECTED', failureReason: { failureCode: 'INVALID_STATE', failureMessage: 'text' } };
    expect(read(200, refused)).toEqual({ outcome: 'refused', detail: 'REJECTED INVALID_STATE' });
    expect(read(200, { status: 'NOT_FOUND' })).toEqual({
      outcome: 'refused',
      detail: 'NOT_FOUND without a readable code',
    });
  });

  it('fails where the answer is another', () => {
    for (const answer of [read(403), read(200, { payoutId: 'another' }), read(200, { status: 7 })])
      expect(answer).toMatchObject({ outcome: 'failed' });
    expect(readResend({ kind: 'no_answer', detail: 'HTTP 500' }, PAYOUT_ID)).toEqual({
      outcome: 'failed',
      detail: 'HTTP 500',
    });
  });
});
