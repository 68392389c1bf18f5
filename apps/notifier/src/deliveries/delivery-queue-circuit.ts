/** When a receiver is held back, and for how long. */
export interface CircuitRules {
  /** Failures in a row, over all processes. Well above what a few deliveries make of themselves: theirs go by their schedule alone. */
  readonly openAfter: number;
  /** A failure that comes later than this after the one before begins to count anew: steps of the schedule that are far apart never add up. */
  readonly forgetMs: number;
  readonly firstPauseMs: number;
  /** Pauses double up to this: a receiver that is back is met again within it. */
  readonly longestPauseMs: number;
  /** A pause is lengthened by up to this share of itself, so that receivers that went together are not looked at together. */
  readonly jitter: number;
}

export const CIRCUIT_RULES: CircuitRules = {
  openAfter: 32,
  forgetMs: 60_000,
  firstPauseMs: 5_000,
  longestPauseMs: 120_000,
  jitter: 0.1,
};

/** A delivery queue whose receiver could not be reached the last time; columns of `delivery_queues`. */
export interface DeliveryQueueTrouble {
  /** In a row. */
  readonly failures: number;
  readonly lastFailureAt: Date;
  /** One after the other. */
  readonly pauses: number;
  /** Null: not held back yet. Once it has passed, one delivery at a time may look whether it is back. */
  readonly heldUntil: Date | null;
  readonly isProbed: boolean;
}

/** What came of a delivery queue's POSTs since it was last recorded. An answer is one whatever it says: only who cannot be reached is away. */
export interface DeliveryQueueOutcome {
  readonly partnerId: number;
  readonly host: string;
  readonly isAnswered: boolean;
  /** In a row, since the last answer. */
  readonly failures: number;
}

/**
 * A circuit for each partner's receivers at a host: were it the host's alone, a partner could hold back another's webhooks by a path on its host that never
 * answers. `libs/http` has one for services of ours, which refuses calls and counts in its own process; here what waits are rows, so they
 * are left where they are and keep their attempts, and all processes of notifier count together and send one probe. `random` is in [0, 1).
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
    // What was under way when it was held back says nothing new.
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
