import { describe, expect, it } from '@jest/globals';
import type { FailureCode } from '@vuka/domain';

import { type EndingAnswer, tellsWell } from './attempt-ends.js';

const deferred = (reason: 'float' | 'config' | 'corridor_off' | 'unreachable'): EndingAnswer => ({ outcome: 'deferred', reason, detail: '' }); // prettier-ignore
const notPaid = (code: FailureCode, more: object = {}): EndingAnswer => ({ outcome: 'not_paid', code, routeLeft: false, detail: '', ...more }); // prettier-ignore

describe('what an end says of its provider', () => {
  it.each<[string, EndingAnswer, boolean | null]>([
    ['a payment', { outcome: 'succeeded' }, true],
    ['a recipient that cannot be paid', notPaid('recipient_not_found'), true],
    ['a network that is closed', deferred('corridor_off'), false],
    [
      'hours in which it pays nobody',
      { outcome: 'deferred', reason: 'corridor_off', detail: '', isPlanned: true },
      null,
    ],
    ['a provider that is away', deferred('unreachable'), false],
    ['a payout that it gave up', notPaid('rail_unavailable'), false],
    ['a payout that it would not take', notPaid('rail_rejected'), false],
    ['our float', deferred('float'), null],
    ['our float, after it was taken', notPaid('rail_unavailable', { routeLeft: true, ourFault: 'float' }), null],
    ['our credential', deferred('config'), null],
    ['an amount', notPaid('amount_not_accepted'), null],
    ['money that came back', { outcome: 'reversed', receipt: 'R1', detail: '' }, null],
  ])('%s', (_, answer, told) => {
    expect(tellsWell(answer)).toBe(told);
  });
});
