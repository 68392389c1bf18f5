import type { ProviderCapabilities } from '../../payout-provider.js';

/** docs/engineers/sandbox-providers.md */
export type SandboxProfile = 'sandbox' | 'sandbox_b';

const COMMON = {
  lateWindowMs: 60_000,
  latePollScheduleMs: [2_000, 5_000, 10_000, 20_000],
  // Long enough to notice `POST /sandbox/payouts/{code}/pay` before a refund.
  refundSafeAfterMs: 3_000,
  callsAtOnce: 128,
  // The provider pays one second after acceptance. The later polls are for outages and held payouts.
  pollScheduleMs: [1_050, 300, 500, 1_000, 2_000, 5_000, 15_000],
  callTimeoutMs: 3_000,
  resolvesNames: true,
  debitsAt: 'payment',
  // A submit may be delayed for any time.
  notFoundProvesAfterMs: null,
} as const satisfies Omit<ProviderCapabilities, 'dedupesForMs'>;

/** It keeps ids for ever, but promises a day, as others do. */
const DEDUPES_FOR_MS = 24 * 3_600_000;

export const SANDBOX_PROFILES = {
  /** Deduplicates ids and has a statement. */
  sandbox: {
    capabilities: { ...COMMON, dedupesForMs: DEDUPES_FOR_MS, statementTellsAll: true },
    hasStatement: true,
  },
  /** Pays again for a repeated id; no statement. */
  sandbox_b: { capabilities: { ...COMMON, dedupesForMs: null }, hasStatement: false },
} as const satisfies Record<SandboxProfile, { capabilities: ProviderCapabilities; hasStatement: boolean }>;
