import { apartBasisPoints } from './rate-arithmetic.js';

/** The middle rate of one currency that counts now, and one that the source tells instead and is not believed yet. Numbers are 1e-18. */
export interface RateLevel {
  readonly mid: bigint;
  /** Of the reading it was last confirmed by. */
  readonly at: Date;
  readonly candidate: { readonly mid: bigint; readonly since: Date } | null;
}

export interface StepRules {
  /** A reading further from the last one than this is a fault of the source until it has stood. */
  readonly maxStepBasisPoints: number;
  /** How long a jump has to stand: longer than a glitch lasts, shorter than a devaluation. */
  readonly stepStandsMs: number;
}

/**
 * The level after a reading. A jump leaves the level as it is, unconfirmed, so that it grows stale and nobody is paid by a rate that
 * may be wrong; once the jump has stood for its time, it is the level. Readings from before the level's own change nothing.
 */
export function nextLevel(level: RateLevel | null, mid: bigint, at: Date, rules: StepRules): RateLevel {
  if (level === null) return { mid, at, candidate: null };
  if (at <= level.at) return level;
  const near = (known: bigint): boolean => apartBasisPoints(known, mid) <= BigInt(rules.maxStepBasisPoints);
  if (near(level.mid)) return { mid, at, candidate: null };
  const stands = level.candidate !== null && near(level.candidate.mid);
  const since = stands && level.candidate !== null ? level.candidate.since : at;
  if (at.getTime() - since.getTime() >= rules.stepStandsMs) return { mid, at, candidate: null };
  return { ...level, candidate: { mid, since } };
}
