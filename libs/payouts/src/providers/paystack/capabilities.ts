import type { BalanceProvider, ProviderCapabilities } from '../../payout-provider.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const PAYSTACK_CAPABILITIES: ProviderCapabilities = {
  // [D] a reference that "already exists on a transfer" is refused, and no end of that is told [U]. It is relied on for as long as a
  // payment waits for a provider at all: an outage of that length heals by itself. The status is asked before each repeat.
  dedupesForMs: 4 * HOUR_MS,
  // [U] no document says how long after its sending a transfer may appear.
  notFoundProvesAfterMs: null,
  // [U] success, failed and reversed are conclusive [D]; money comes back after success all the same (transfer.reversed).
  lateWindowMs: 72 * HOUR_MS,
  // [U] no correction of `failed` is documented. A day is time for one.
  refundSafeAfterMs: 24 * HOUR_MS,
  // [U] seconds, as a rule.
  usualPaceMs: 10 * MINUTE_MS,
  latePollScheduleMs: [5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 12 * HOUR_MS],
  // [U] no rate is published.
  callsAtOnce: 16,
  pollScheduleMs: [3_000, 5_000, 10_000, 20_000, 30_000, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS],
  callTimeoutMs: 10_000,
  // [U] no rate is published. It is by the time of creation [D], so it does not tell what comes back days later: polls do.
  statementEveryMs: MINUTE_MS,
  resolvesNames: true,
  // [D] the balance is checked before a transfer is made, and what is reversed is returned to it. [U] the moment.
  debitsAt: 'acceptance',
};

export const PAYSTACK_BALANCE_RULES: BalanceProvider['balanceRules'] = {
  holdsOpening: false,
};
