const SHORTEST_MS = 2_000;
const LONGEST_MS = 60_000;
const LONGEST_LATE_MS = 5 * 60_000;
const LATE_AFTER_MS = 3_600_000;

/**
 * After a block, then after a fifth of the time waited, at most a minute. After an hour every five minutes, to spare a
 * chain whose finality stalls.
 */
export function recheckAfterMs(blockMs: number, waitedMs: number): number {
  return Math.round(
    Math.min(waitedMs > LATE_AFTER_MS ? LONGEST_LATE_MS : LONGEST_MS, Math.max(SHORTEST_MS, blockMs, waitedMs / 5)),
  );
}
