import { expect, it } from '@jest/globals';

import { CHAPA_CAPABILITIES } from './chapa/capabilities.js';
import { PAWAPAY_CAPABILITIES } from './pawapay/capabilities.js';
import { PAYSTACK_CAPABILITIES } from './paystack/capabilities.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What money rests on. A longer time here is a promise that the provider must have made: see its page. */
it.each([
  ['pawaPay', PAWAPAY_CAPABILITIES, { dedupesForMs: 30 * MINUTE_MS, notFoundProvesAfterMs: 15 * MINUTE_MS }],
  ['Paystack', PAYSTACK_CAPABILITIES, { dedupesForMs: 4 * HOUR_MS, notFoundProvesAfterMs: null }],
  ['Chapa', CHAPA_CAPABILITIES, { dedupesForMs: null, notFoundProvesAfterMs: null }],
])('of %s no more is relied on than its page says', (_, capabilities, times) => {
  expect(capabilities).toMatchObject({ ...times, lateWindowMs: 72 * HOUR_MS, refundSafeAfterMs: 24 * HOUR_MS });
});
