import type { ProviderCapabilities } from '../../payout-provider.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const PAWAPAY_CAPABILITIES: ProviderCapabilities = {
  // [D] idempotent by payoutId, and no end of that is told [U]. It is relied on for as long as "not found" takes to prove something, twice.
  dedupesForMs: 30 * MINUTE_MS,
  // [D] NOT_FOUND fifteen minutes after sending: it never came there.
  notFoundProvesAfterMs: 15 * MINUTE_MS,
  // [U] COMPLETED and FAILED are final [D]; networks reverse by hand all the same.
  lateWindowMs: 72 * HOUR_MS,
  // [U] UNSPECIFIED_FAILURE is the network's silence. A day is time for pawaPay to correct it.
  refundSafeAfterMs: 24 * HOUR_MS,
  // [U] seconds, as a rule [D]; those in reconciliation wait for the network's people.
  usualPaceMs: 10 * MINUTE_MS,
  latePollScheduleMs: [5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 12 * HOUR_MS],
  // [U] no rate is published.
  callsAtOnce: 16,
  // [D] usually processed within seconds; one that is enqueued or in reconciliation takes minutes or more.
  pollScheduleMs: [3_000, 5_000, 10_000, 20_000, 30_000, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS],
  callTimeoutMs: 10_000,
  // [U] no rate is published. Two requests a call make eight a minute.
  // [U] whether what comes back is a line, and in which words. So `statementTellsReturns` is absent, and what is paid is polled.
  statementEveryMs: 15_000,
  resolvesNames: false,
  // [D] v2/docs/payouts: the amount is reserved at once and comes back at once where the payout fails; fees are taken when it is paid.
  debitsAt: 'acceptance',
};
