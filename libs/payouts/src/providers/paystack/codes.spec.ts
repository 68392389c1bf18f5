import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { OutcomeClass } from '../../outcome-class.js';
import { BY_CODE, BY_TEXT, BY_TYPE, DUPLICATES, ENDED, UNAUTHORISED } from './codes.js';
import { readCallback, readQuery, readSubmit } from './mapping.js';
import { ATTEMPT_ID, instruction, json, KES_BANKS, OPTIONS, recordOf, refused, told } from './shapes.spec-support.js';

/** docs/decisions/0023, written down a second time: each documented text, code and type, and what it becomes. */
const TEXTS: Record<string, string> = {
  'Your balance is not enough to fulfill this request': 'deferred float',
  'Your balance is not enough to fulfil this request': 'deferred float',
  'You cannot initiate third party payouts as a starter business': 'deferred config',
  'Your reference contains illegal special characters': 'deferred config',
  'Invalid entries found': 'deferred config',
  'Invalid key': 'deferred config',
  'No Authorization Header was found': 'deferred config',
  'Format is Authorization Bearer [secret key]': 'deferred config',
  'Bank code is invalid': 'deferred config',
  'Unknown bank code': 'deferred config',
  'bank_code is required': 'deferred config',
  'Account number is required': 'deferred config',
  'Either authorization_code or account_number must be passed.': 'deferred config',
  'Recipient specified is invalid': 'no_recipient',
  'Account number is invalid': 'not_paid recipient_invalid',
  'Bank is invalid': 'not_paid recipient_not_found',
  'Cannot resolve account': 'not_paid recipient_not_found',
  'Could not resolve account name. Check parameters or try again.': 'not_paid recipient_not_found',
  "Sorry, we can't make the transfer to this recipient at the moment": 'not_paid recipient_rejected',
  'Account closed': 'unknown',
  'System Malfunction': 'unknown',
};

const STATUSES: Record<string, string> = {
  pending: 'submitted',
  received: 'submitted',
  otp: 'submitted, and people are told',
  success: 'succeeded',
  failed: 'not_paid rail_rejected',
  abandoned: 'not_paid rail_unavailable elsewhere our config',
  blocked: 'not_paid rail_unavailable elsewhere our config',
  rejected: 'not_paid cancelled',
  reversed: 'reversed, else not paid: rail_rejected',
};

const words = (answer: ReturnType<typeof readSubmit>): string => {
  switch (answer.outcome) {
    case 'deferred':
      return `deferred ${answer.reason}`;
    case 'not_paid': {
      const { code, routeLeft, ourFault } = answer;
      return `not_paid ${code}${routeLeft ? ' elsewhere' : ''}${ourFault === undefined ? '' : ` our ${ourFault}`}`;
    }
    case 'submitted':
      return answer.waitsForUs === undefined ? 'submitted' : 'submitted, and people are told';
    case 'reversed':
      return `reversed, else not paid: ${answer.elseNotPaid ?? ''}`;
    default:
      return answer.outcome;
  }
};

const turnedDown = (status: number, body: object): string =>
  words(readSubmit(json(status, body), instruction(), OPTIONS));
const queried = (more: object): string =>
  words(readQuery(json(200, told(recordOf(instruction(), more))), instruction(), OPTIONS));

describe('texts at the call', () => {
  it('are the documented ones, all in the table', () => {
    expect(Object.keys(BY_TEXT).sort()).toEqual(Object.keys(TEXTS).sort());
  });

  it.each(Object.entries(TEXTS))('%j is %s', (message, expected) => {
    for (const status of [400, 404, 422]) {
      expect(turnedDown(status, refused(message))).toBe(expected);
      // Whatever else it calls itself.
      expect(turnedDown(status, refused(message, { type: 'api_error' }))).toBe(expected);
    }
  });

  it.each(Object.keys(TEXTS))('%j with one word more proves nothing', (message) => {
    expect(turnedDown(400, refused(`${message} (maybe)`))).toBe('unknown');
    expect(turnedDown(400, refused(message.toUpperCase()))).toBe('unknown');
  });

  it.each(Object.keys(TEXTS))('%j is no refusal without status false, or with another status of HTTP', (message) => {
    expect(turnedDown(400, { ...refused(message), status: true })).toBe('unknown');
    for (const status of [200, 201, 302, 500]) expect(turnedDown(status, refused(message))).toBe('unknown');
  });
});

describe('codes and types at the call', () => {
  it('are the documented ones', () => {
    expect([Object.keys(BY_CODE), Object.keys(BY_TYPE)]).toEqual([
      ['invalid_transfer_recipient', 'unknown'],
      ['validation_error', 'api_error'],
    ]);
  });

  it.each([
    [{ code: 'invalid_transfer_recipient', type: 'validation_error' }, 'no_recipient'],
    [{ code: 'unknown', type: 'validation_error' }, 'unknown'],
    [{ code: 'unknown', type: 'api_error' }, 'unknown'],
    [{ type: 'validation_error' }, 'deferred config'],
    [{ type: 'api_error' }, 'unknown'],
    [{ code: 'moon_phase', type: 'validation_error' }, 'deferred config'],
    [{ code: 'moon_phase' }, 'unknown'],
    [{}, 'unknown'],
  ])('%j is %s', (more, expected) => {
    expect(turnedDown(400, refused('Some text', more))).toBe(expected);
  });

  it('401 is about our key, whatever it says', () => {
    expect(UNAUTHORISED.cls).toBe('config');
    expect(turnedDown(401, refused('Moon phase'))).toBe('deferred config');
    expect(turnedDown(401, { message: 'no' })).toBe('unknown');
  });

  it('a text about references that nobody knows is not taken for a mistake of ours', () => {
    expect(turnedDown(400, refused('This reference is taken', { type: 'validation_error' }))).toBe('unknown');
  });
});

describe('a duplicate', () => {
  it.each([
    [404, refused(`Duplicate reference(s) found: ${ATTEMPT_ID}`, { type: 'api_error', code: 'unknown' })],
    [400, refused('Duplicate reference', { type: 'validation_error' })],
    [
      400,
      refused('Please provide a unique reference. Reference already exists on a transfer', {
        type: 'validation_error',
      }),
    ],
  ])('is known by the beginning of its text: %i %j', (status, body) => {
    expect(turnedDown(status, body)).toBe('duplicate');
  });

  it('of another reference says nothing of ours', () => {
    expect(turnedDown(404, refused('Duplicate reference(s) found: 6b0c3f7a-91d2-8e44-a3f0-0c1d2e3f4a5b'))).toBe(
      'unknown',
    );
    expect(DUPLICATES).toHaveLength(2);
  });
});

describe('statuses', () => {
  it('are the documented ones, all in a table', () => {
    const others = ['pending', 'received', 'otp', 'success', 'reversed'];
    expect([...others, ...Object.keys(ENDED)].sort()).toEqual(Object.keys(STATUSES).sort());
  });

  it.each(Object.entries(STATUSES))('%s is %s', (status, expected) => {
    expect(queried({ status })).toBe(expected);
  });

  it.each(['success', 'failed', 'reversed'])('%s by a callback is the same', (status) => {
    const body = { event: `transfer.${status}`, data: recordOf(instruction(), { status }) };
    expect(words(readCallback(body, instruction(), KES_BANKS))).toBe(STATUSES[status]);
  });

  it('at the call are underway, all of them: only the record tells an end', () => {
    for (const status of Object.keys(STATUSES))
      expect(turnedDown(200, told(recordOf(instruction(), { status, recipient: 1 })))).toMatch(/^submitted/);
  });

  it('that nobody knows never end a payout', () => {
    fc.assert(
      fc.property(
        fc.string().filter((status) => !Object.hasOwn(STATUSES, status)),
        (status) => {
          expect(queried({ status })).toBe('submitted');
        },
      ),
    );
    for (const status of ['constructor', 'toString', '__proto__', 'SUCCESS', ''])
      expect(queried({ status })).toBe('submitted');
  });

  it('and refusals that nobody knows never say "not paid"', () => {
    fc.assert(
      fc.property(fc.integer({ min: 400, max: 499 }), fc.string(), fc.string(), (status, message, code) => {
        fc.pre(status !== 401 && !Object.hasOwn(BY_TEXT, message.trim()) && !Object.hasOwn(BY_CODE, code));
        fc.pre(!DUPLICATES.some((beginning) => message.startsWith(beginning)));
        expect(turnedDown(status, refused(message, { code }))).toBe('unknown');
      }),
    );
  });
});

it('every row says where it is from, and no class sends a second payout where nobody knows why the first one failed', () => {
  const rows = [BY_CODE, BY_TEXT, BY_TYPE, ENDED].flatMap((table) => Object.values(table));
  for (const { source, cls, routeLeft } of [...rows, UNAUTHORISED]) {
    expect(source).toMatch(/^\[D\] /);
    const isUnsure = (['unspecified', 'unknown'] as OutcomeClass[]).includes(cls);
    if (isUnsure) expect(routeLeft).toBe(false);
  }
});
