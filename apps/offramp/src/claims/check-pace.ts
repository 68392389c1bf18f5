const SHORTEST_MS = 1_000;
const LONGEST_MS = 20_000;
/** After the deadline only trouble keeps a claim open. */
const LONGEST_OVERDUE_MS = 5 * 60_000;

/** After a block, then after a quarter of the time waited; at most 20 s, after the deadline 5 min. */
export function nextCheckAfterMs(blockMs: number, waitedMs: number, isOverdue: boolean): number {
  return Math.round(
    Math.min(isOverdue ? LONGEST_OVERDUE_MS : LONGEST_MS, Math.max(SHORTEST_MS, blockMs, waitedMs / 4)),
  );
}
