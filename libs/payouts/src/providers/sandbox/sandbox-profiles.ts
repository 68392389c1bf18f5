import type { ProviderCapabilities } from '../../payout-provider.js';

/** The two providers of the sandbox (docs/engineers/sandbox-providers.md): the same program, good and bad at different things. */
export type SandboxProfile = 'sandbox' | 'sandbox_b';

const COMMON = {
  lateWindowMs: 60_000,
  latePollScheduleMs: [2_000, 5_000, 10_000, 20_000],
  // Long enough for `POST /sandbox/payouts/{code}/pay` to be heard of before a failed pay's value may leave.
  refundSafeAfterMs: 3_000,
  // None of the rails' own: what a network behind them takes is in the currency's rules.
  limits: {},
  callsAtOnce: 128,
  // The provider pays one second after it accepts; the rest is for when it is down or holds a payment back.
  pollScheduleMs: [1_050, 300, 500, 1_000, 2_000, 5_000, 15_000],
  callTimeoutMs: 3_000,
  resolvesNames: true,
  // A submit may be on its way for longer than anybody can tell.
  notFoundProvesAfterMs: null,
} as const satisfies Omit<ProviderCapabilities, 'dedupesForMs'>;

/** Its book keeps every id for ever; what is promised is a day, as other providers do. */
const DEDUPES_FOR_MS = 24 * 3_600_000;

export const SANDBOX_PROFILES = {
  /** Knows an id it has seen, and lists what it has done. */
  sandbox: { capabilities: { ...COMMON, dedupesForMs: DEDUPES_FOR_MS }, hasStatement: true },
  /** Pays an id as often as it is sent, and lists nothing. */
  sandbox_b: { capabilities: { ...COMMON, dedupesForMs: null }, hasStatement: false },
} as const satisfies Record<SandboxProfile, { capabilities: ProviderCapabilities; hasStatement: boolean }>;
