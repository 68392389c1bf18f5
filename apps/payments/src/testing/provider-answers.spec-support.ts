import { money } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';

import { AMOUNT } from './payout-harness.spec-support.js';

/** For payments of AMOUNT. */
export const SUBMITTED: ProviderAnswer = { outcome: 'submitted' };
export const UNKNOWN: ProviderAnswer = { outcome: 'unknown', detail: 'timeout' };
export const NOT_FOUND: ProviderAnswer = {
  outcome: 'unknown',
  detail: 'the provider does not know our id',
  notFound: true,
};
export const NO_ANSWER: ProviderAnswer = { outcome: 'query_failed', detail: 'timeout' };
export const NO_FLOAT: ProviderAnswer = { outcome: 'deferred', reason: 'float', detail: 'FLOAT' };
export const MISMATCH: ProviderAnswer = { outcome: 'mismatch', detail: "the provider's record has another amount" };
export const NOT_PAID: ProviderAnswer = {
  outcome: 'not_paid',
  code: 'rail_rejected',
  routeLeft: false,
  detail: 'REJECTED',
};
export const NOT_PAID_HERE: ProviderAnswer = {
  outcome: 'not_paid',
  code: 'rail_rejected',
  routeLeft: true,
  detail: 'CHANNEL',
};
/** After it was taken. */
export const NO_FLOAT_LEFT: ProviderAnswer = {
  outcome: 'not_paid',
  code: 'rail_unavailable',
  routeLeft: true,
  ourFault: 'float',
  detail: 'FAILED FLOAT',
};
/** Without a recipient's name. */
export const PAID: ProviderAnswer = {
  outcome: 'succeeded',
  receipt: 'R1',
  publicName: null,
  amount: money(AMOUNT, 'KES'),
  recipient: '1',
};

export const paid = (receipt: string): ProviderAnswer => ({
  outcome: 'succeeded',
  receipt,
  publicName: 'TEST 7890',
  amount: money(AMOUNT, 'KES'),
  recipient: '1234567890',
});
export const cameBack = (receipt: string): ProviderAnswer => ({ outcome: 'reversed', receipt, detail: '' });
