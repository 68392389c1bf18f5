/** Blocks come faster than it is worth asking. */
const SHORTEST_MS = 1_000;
const LONGEST_MS = 20_000;

/**
 * When to look again at a claim that has waited so long in its present state: after a block at first, then after a quarter of what has passed
 * already, so that nothing is known later than a quarter of its own time, and at least three times a minute.
 */
export function nextLookAfterMs(blockMs: number, waitedMs: number): number {
  return Math.round(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, blockMs, waitedMs / 4)));
}
