import { describe, expect, it } from '@jest/globals';

import { hasUntriedRoute, routesLeft, waitingSince } from './choose-route.js';
import type { AttemptRecord, History } from '../transactions/attempt.store.js';

const A = { id: 'a' };
const B = { id: 'b' };

function history(
  ...attempts: readonly (readonly [provider: string, endedBy: AttemptRecord['endedBy']])[]
): Pick<History, 'attempts'> {
  return {
    attempts: attempts.map(([provider, endedBy], index) => ({
      attemptNo: index + 1,
      provider,
      wallet: 'main',
      providerReference: '',
      fence: 1,
      receiptNumber: null,
      endedAt: new Date(1_000 * (index + 1)),
      isAcknowledged: false,
      endedBy,
      state: endedBy === null ? 'SENDING' : 'NOT_PAID',
    })),
  };
}

describe('routesLeft', () => {
  it.each([
    ['first choice first', history(), ['a', 'b']],
    ['not a provider that has refused', history(['a', 'not_paid']), ['b']],
    ['none when all have refused', history(['a', 'not_paid'], ['b', 'not_paid']), []],
    ['not a provider whose attempt people settled as not paid', history(['a', 'settled']), ['b']],
    ['the one that put it off least often first', history(['a', 'deferred']), ['b', 'a']],
    ['first choice again when both put it off as often', history(['a', 'deferred'], ['b', 'deferred']), ['a', 'b']],
    ['a provider that took it and lacked our float, behind the others', history(['a', 'our_fault']), ['b', 'a']],
    ['a provider whose attempt was given up unsent', history(['b', 'stopped'], ['a', 'not_paid']), ['b']],
    ['a provider whose attempt is under way', history(['a', null]), ['a', 'b']],
  ])('%s', (_, past, left) => {
    expect(routesLeft([A, B], past).map(({ id }) => id)).toEqual(left);
  });
});

describe('hasUntriedRoute', () => {
  it('is true until every provider has put it off as often', () => {
    expect(hasUntriedRoute([A, B], history(['a', null]), { attemptNo: 1, provider: 'a' })).toBe(true);
    expect(hasUntriedRoute([A, B], history(['a', 'deferred'], ['b', null]), { attemptNo: 2, provider: 'b' })).toBe(
      false,
    );
    expect(hasUntriedRoute([A], history(['a', null]), { attemptNo: 1, provider: 'a' })).toBe(false);
    expect(hasUntriedRoute([A, B], history(['b', 'not_paid'], ['a', null]), { attemptNo: 2, provider: 'a' })).toBe(
      false,
    );
  });
});

describe('waitingSince', () => {
  it.each([
    ['never', history(), null],
    ['not for what was put off', history(['a', 'deferred']), null],
    ['since the first fault of ours', history(['a', 'our_fault'], ['b', 'deferred'], ['a', 'our_fault']), 1],
    ['not across another end', history(['a', 'our_fault'], ['b', 'not_paid'], ['a', 'our_fault'], ['a', null]), 3],
  ])('%s', (_, past, second) => {
    expect(waitingSince(past)?.getTime() ?? null).toBe(second === null ? null : second * 1_000);
  });
});
