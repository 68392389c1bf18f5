import { money } from '@vuka/domain';
import type { RailAnswer } from '@vuka/payouts';

import { AMOUNT } from './payout-road.spec-support.js';

/** What a scripted rail says, of a payment of AMOUNT. */
export const SUBMITTED: RailAnswer = { outcome: 'submitted' };
export const UNKNOWN: RailAnswer = { outcome: 'unknown', detail: 'timeout' };
export const NOT_FOUND: RailAnswer = { outcome: 'unknown', detail: 'the rail does not know our id', notFound: true };
export const NO_ANSWER: RailAnswer = { outcome: 'query_failed', detail: 'timeout' };
export const NO_FLOAT: RailAnswer = { outcome: 'deferred', reason: 'float', detail: 'FLOAT' };
export const MISMATCH: RailAnswer = { outcome: 'mismatch', detail: "the rail's record has another amount" };
export const NOT_PAID: RailAnswer = {
  outcome: 'not_paid',
  code: 'rail_rejected',
  routeLeft: false,
  detail: 'REJECTED',
};
/** Another rail may. */
export const NOT_PAID_HERE: RailAnswer = {
  outcome: 'not_paid',
  code: 'rail_rejected',
  routeLeft: true,
  detail: 'CHANNEL',
};
/** By a rail that tells no name. */
export const PAID: RailAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};

export const paid = (receipt: string): RailAnswer => ({
  outcome: 'succeeded',
  receipt,
  publicName: 'TEST 7890',
  amount: money(AMOUNT, 'KES'),
  recipient: '1234567890',
});
export const cameBack = (receipt: string): RailAnswer => ({ outcome: 'reversed', receipt, detail: '' });
