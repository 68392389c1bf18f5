import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { ProviderAnswer } from '../../payout-provider.js';
import { AT_THE_CALL, DUPLICATE, endOf, ENDS, NOT_FOUND } from './codes.js';
import { type Duplicate, readCallback, readQuery, readSubmit } from './mapping.js';
import { found, instruction, json, PRINTED, SHAPES } from './shapes.spec-support.js';

const READINGS = { isLive: true, chargeIsOnTop: false };

/** The published table, written down a second time: status of HTTP, text as printed, and what it becomes. */
const CALL: readonly (readonly [httpStatus: number, message: unknown, name: string, becomes: string])[] = [
  [401, 'Authorization required', 'AUTHORIZATION_REQUIRED', 'deferred config'],
  [401, PRINTED.transferHours, 'OUTSIDE_TRANSFER_HOURS', 'deferred corridor_off'],
  [401, PRINTED.apiKey, 'INVALID_API_KEY', 'deferred config'],
  [400, { amount: ['validation.required'] }, 'ATTRIBUTE_MISSING', 'deferred config'],
  [
    400,
    { bank_code: ['validation.required'], reference: ['validation.required'] },
    'ATTRIBUTE_MISSING',
    'deferred config',
  ],
  [
    400,
    'This bank is no longer supported or banned by National bank of Ethiopia',
    'BANK_NOT_SUPPORTED',
    'deferred config',
  ],
  [400, 'The account number is not valid for telebirr', 'ACCOUNT_NUMBER_INVALID', 'not_paid recipient_invalid'],
  [
    400,
    'The subaccount id you provided isn’t associated with this account. Please make sure the id is correct or to create a subaccount before proceeding.',
    'SUBACCOUNT_NOT_OURS',
    'deferred config',
  ],
  [400, 'Insufficient Balance', 'INSUFFICIENT_BALANCE', 'deferred float'],
  [
    400,
    'Invalid currency, USD is not supported only ETB is supported to use Transfer API.',
    'INVALID_CURRENCY',
    'deferred config',
  ],
  [
    401,
    'The Bank Code is incorrect please check if it does exist with our getbanks endpoint.’,',
    'BANK_CODE_INCORRECT',
    'deferred config',
  ],
  [400, 'User can’t receive payments’,', 'USER_CANNOT_RECEIVE', 'deferred config'],
  [404, 'Transfer API isn’t available now, please contact us', 'TRANSFERS_NOT_AVAILABLE', 'deferred config'],
];

const END: Record<string, string> = {
  success: 'succeeded',
  failed: 'not_paid rail_rejected',
  'failed/cancelled': 'not_paid rail_rejected',
  cancelled: 'not_paid cancelled',
  reverted: 'not_paid rail_rejected',
};

function told(answer: ProviderAnswer | Duplicate): string {
  switch (answer.outcome) {
    case 'deferred':
      return `deferred ${answer.reason}`;
    case 'not_paid':
      return `not_paid ${answer.code}${answer.routeLeft ? ' elsewhere' : ''}`;
    default:
      return answer.outcome;
  }
}

const submitted = (status: number, message: unknown) => readSubmit(json(status, SHAPES.failed(message)), instruction());
const queried = (status: string) => readQuery(found({ ...SHAPES.record, status }), instruction(), READINGS);

describe('texts at the call', () => {
  it('are the documented ones, all in the table', () => {
    expect([...new Set(CALL.map(([, , name]) => name))].sort()).toEqual(Object.keys(AT_THE_CALL).sort());
  });

  it.each(CALL)('%s %j is %s: %s', (httpStatus, message, name, becomes) => {
    const answer = submitted(httpStatus, message);
    expect(told(answer)).toBe(becomes);
    expect(answer).toMatchObject({ detail: `HTTP ${httpStatus} ${name}` });
  });

  it('count in any case, with either apostrophe and with more space', () => {
    expect(told(submitted(401, "INVALID  api key or user doesn't exist"))).toBe('deferred config');
    expect(told(submitted(400, ' insufficient balance. '))).toBe('deferred float');
  });

  it.each(CALL)(
    '%s %j proves nothing under another status of HTTP, nor where the answer is no failure',
    (at, message) => {
      for (const status of [200, 400, 401, 403, 404, 409, 422, 429].filter((one) => one !== at))
        expect(told(submitted(status, message))).toBe('unknown');
      expect(told(readSubmit(json(at, { message, status: 'success', data: null }), instruction()))).toBe('unknown');
      expect(told(readSubmit(json(at, { message }), instruction()))).toBe('unknown');
    },
  );

  it.each([
    [429, 'Too many requests'],
    [429, 'Too Many Attempts.'],
    [400, 'Unfortunately: Insufficient Balance'],
    [400, 'The transfer may have been sent. Insufficient Balance'],
    [400, { amount: ['validation.min.numeric'] }],
    [400, { amount: ['validation.required'], account_number: ['validation.regex'] }],
    [400, { amount: [] }],
    [400, {}],
    [400, null],
    [400, 17],
    [400, ''],
    [400, 'constructor'],
  ])('%s %j leaves the outcome open', (status, message) => {
    expect(told(submitted(status, message))).toBe('unknown');
  });

  it('that nobody knows never say that it is not paid, and are not kept: they may name the recipient', () => {
    const phrases = CALL.map(([, message]) => message).filter((one) => typeof one === 'string');
    const texts = fc.oneof(
      fc.string(),
      fc.tuple(fc.string({ minLength: 1 }), fc.constantFrom(...phrases)).map(([before, text]) => `x${before}${text}`),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom(400, 401, 403, 404, 409, 422, 429), (message, status) => {
        const detail = `HTTP ${status} with a text in no table`;
        expect(submitted(status, message)).toEqual({ outcome: 'unknown', detail });
      }),
    );
  });

  it('out of the transfer hours is planned, and nothing else is', () => {
    const planned = CALL.filter(([status, message]) => {
      const answer = submitted(status, message);
      return answer.outcome === 'deferred' && answer.isPlanned === true;
    });
    expect(planned.map(([, , name]) => name)).toEqual(['OUTSIDE_TRANSFER_HOURS']);
  });

  it.each(DUPLICATE.starts)('%j says that Chapa has the reference', (text) => {
    expect(told(submitted(400, text))).toBe('duplicate');
    expect(told(submitted(400, PRINTED.duplicate))).toBe('duplicate');
    for (const status of [401, 404, 409]) expect(told(submitted(status, text))).toBe('unknown');
  });

  it.each(NOT_FOUND.starts)('%j of a status is not found, which proves nothing', (text) => {
    const asked = (status: number) => readQuery(json(status, SHAPES.failed(text)), instruction(), READINGS);
    for (const status of [400, 404]) expect(asked(status)).toMatchObject({ outcome: 'unknown', notFound: true });
    for (const status of [200, 401, 500]) expect(asked(status)).toMatchObject({ outcome: 'query_failed' });
  });
});

describe('a status after acceptance', () => {
  it('is one of those that are documented', () => {
    expect(Object.keys(ENDS).sort()).toEqual(Object.keys(END).sort());
  });

  it.each(Object.entries(END))('%s is %s', (status, expected) => {
    expect(told(queried(status))).toBe(expected);
    expect(told(queried(` ${status.toUpperCase()}`))).toBe(expected);
  });

  it.each([
    'pending',
    'queued',
    'processing',
    'approved',
    'reversed',
    'declined',
    'constructor',
    '__proto__',
    '',
    'fail',
  ])('%j is pending, never failed', (status) => {
    expect(told(queried(status))).toBe('submitted');
  });

  it('that nobody knows is pending', () => {
    fc.assert(
      fc.property(fc.string(), (status) => {
        if (endOf(status) === undefined) expect(told(queried(status))).toBe('submitted');
      }),
    );
  });

  it('sends no second payout, since no reason comes with any of them', () => {
    for (const row of Object.values(ENDS)) if (row.end === 'not_paid') expect(row.routeLeft).toBe(false);
  });

  it('by a callback is the same', () => {
    for (const [status, expected] of Object.entries(END)) {
      const body = { ...SHAPES.webhook, event: `payout.${status}`, status };
      expect(told(readCallback(body, instruction(), READINGS))).toBe(expected);
    }
  });
});

it('every row says where it is from', () => {
  for (const { source } of [...Object.values(AT_THE_CALL), ...Object.values(ENDS), DUPLICATE, NOT_FOUND])
    expect(source).toMatch(/^\[[DU]\] developer\.chapa\.co\//);
});
