/** Blocks come faster than it is worth asking. */
const SHORTEST_MS = 1_000;
const LONGEST_MS = 20_000;
/** Of a claim past its deadline: only trouble keeps it, and a receipt that nobody can read may do so for ever. */
const LONGEST_OVERDUE_MS = 5 * 60_000;

/**
 * When to look again at a claim that has waited so long in its present state: after a block at first, then after a quarter of what has passed
 * already, so that nothing is known later than a quarter of its own time, and at least three times a minute; past its deadline every five minutes.
 */
export function nextCheckAfterMs(blockMs: number, waitedMs: number, isOverdue: boolean): number {
  return Math.round(
    Math.min(isOverdue ? LONGEST_OVERDUE_MS : LONGEST_MS, Math.max(SHORTEST_MS, blockMs, waitedMs / 4)),
  );
}
