import { apartBasisPoints } from './rate-arithmetic.js';

/** `candidate`: a jump that is not believed yet. 1e-18. */
export interface RateLevel {
  readonly mid: bigint;
  readonly at: Date;
  readonly candidate: { readonly mid: bigint; readonly since: Date } | null;
}

export interface StepRules {
  /** A larger step counts as a source fault at first. */
  readonly maxStepBasisPoints: number;
  /** Longer than a glitch, shorter than a devaluation. */
  readonly stepStandsMs: number;
}

/**
 * A jump leaves the level unconfirmed: it becomes stale, so nobody is paid by a wrong rate. A jump that stands becomes
 * the level.
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
