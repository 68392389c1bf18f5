import { describe, expect, it } from '@jest/globals';

import { isCancelled, isConnectionError, isOutage, isTransientError, isUniqueViolation } from './database-errors.js';

const coded = (code: string): Error => Object.assign(new Error('x'), { code });

describe('errors of the database', () => {
  it.each([
    '08006',
    '08P01',
    '57P01',
    '57P02',
    '57P03',
    '57P05',
    '25P03',
    '53300',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
  ])('%s means that the connection is gone or was never there', (code) =>
    expect(isConnectionError(coded(code))).toBe(true),
  );

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated',
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Query read timeout',
  ])('"%s" means the same', (message) => expect(isConnectionError(new Error(message))).toBe(true));

  it('looks into what Node collects when a name has several addresses', () => {
    expect(isConnectionError(new AggregateError([coded('ECONNREFUSED')]))).toBe(true);
    expect(isConnectionError(new AggregateError([coded('EACCES')]))).toBe(false);
  });

  it.each(['40P01', '40001', '55P03'])('%s passes by itself', (code) => {
    expect(isTransientError(coded(code))).toBe(true);
    expect(isConnectionError(coded(code))).toBe(false);
  });

  it.each(['23505', '23514', '22P02', '57014', '42P01'])('%s is neither an outage nor transient', (code) => {
    expect(isConnectionError(coded(code))).toBe(false);
    expect(isTransientError(coded(code))).toBe(false);
  });

  it.each([
    '25006',
    '53100',
    '53200',
    '53300',
    '57014',
    '57P01',
    '57P05',
    '58000',
    '58030',
    '40P01',
    '40001',
    '55P03',
    '08006',
    'ECONNRESET',
  ])('%s is an outage: it says nothing against the work', (code) => expect(isOutage(coded(code))).toBe(true));

  it.each(['23505', '23514', '22P02', '22021', '25P02', '42P01', 'XX000', '57', '53_OTHER', 'EACCES'])(
    '%s is no outage',
    (code) => {
      expect(isOutage(coded(code))).toBe(false);
    },
  );

  it('knows a statement that was cancelled or ran out of time', () => {
    expect([isCancelled(coded('57014')), isCancelled(coded('57P01')), isCancelled(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('takes anything for an error', () => {
    for (const thing of [undefined, null, 'text', 7, {}]) {
      expect([isConnectionError, isTransientError, isUniqueViolation, isOutage].map((judge) => judge(thing))).toEqual([
        false,
        false,
        false,
        false,
      ]);
    }
  });
});
