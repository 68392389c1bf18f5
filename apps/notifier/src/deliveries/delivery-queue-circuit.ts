export interface CircuitRules {
  /** In a row, over all processes. A few deliveries never reach this. */
  readonly openAfter: number;
  /** After a longer gap failures count anew: distant retries never add up. */
  readonly forgetMs: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Lengthens pauses by up to this share, to spread the probes. */
  readonly jitter: number;
}

export const CIRCUIT_RULES: CircuitRules = {
  openAfter: 32,
  forgetMs: 60_000,
  firstPauseMs: 5_000,
  longestPauseMs: 120_000,
  jitter: 0.1,
};

/** Columns of `delivery_queues`, after a failure to reach the receiver. */
export interface DeliveryQueueTrouble {
  /** In a row. */
  readonly failures: number;
  readonly lastFailureAt: Date;
  /** In a row. */
  readonly pauses: number;
  /** null: not held back. In the past: one delivery at a time may probe. */
  readonly heldUntil: Date | null;
  readonly isProbed: boolean;
}

/** Any answer counts as reachable. */
export interface DeliveryQueueOutcome {
  readonly partnerId: number;
  readonly host: string;
  readonly isAnswered: boolean;
  /** Since the last answer. */
  readonly failures: number;
}

/**
 * Per partner and host: per host, a partner could block another's webhooks by a path that never answers. Unlike in
 * `libs/http`, all processes share it, and deliveries wait as rows without losing attempts. `random` is in [0, 1).
 */
export function afterOutcome(
  known: DeliveryQueueTrouble | null,
  outcome: DeliveryQueueOutcome,
  now: Date,
  random: number,
  rules: CircuitRules = CIRCUIT_RULES,
): DeliveryQueueTrouble | null {
  const { failures, isAnswered } = outcome;
  if (failures === 0) return isAnswered ? null : known;
  const before = isAnswered ? null : known;
  if (before !== null && before.heldUntil !== null) {
    const counted = { ...before, failures: before.failures + failures, lastFailureAt: now };
    // POSTs that ran at the hold say nothing new.
    return before.isProbed ? { ...counted, ...hold(before.pauses, now, random, rules) } : counted;
  }
  const isFresh = before !== null && now.getTime() - before.lastFailureAt.getTime() <= rules.forgetMs;
  const counted = {
    failures: (isFresh ? before.failures : 0) + failures,
    lastFailureAt: now,
    pauses: 0,
    heldUntil: null,
    isProbed: false,
  };
  return counted.failures < rules.openAfter ? counted : { ...counted, ...hold(0, now, random, rules) };
}

function hold(
  pauses: number,
  now: Date,
  random: number,
  rules: CircuitRules,
): Pick<DeliveryQueueTrouble, 'pauses' | 'heldUntil' | 'isProbed'> {
  const pause = Math.min(rules.firstPauseMs * 2 ** Math.min(pauses, 30), rules.longestPauseMs);
  return {
    pauses: pauses + 1,
    heldUntil: new Date(now.getTime() + Math.ceil(pause * (1 + rules.jitter * random))),
    isProbed: false,
  };
}
