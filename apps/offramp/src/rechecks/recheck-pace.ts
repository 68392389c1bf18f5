const SHORTEST_MS = 2_000;
const LONGEST_MS = 60_000;
/** Of what nobody expects to change any more. */
const LONGEST_LATE_MS = 5 * 60_000;
const LATE_AFTER_MS = 3_600_000;

/**
 * When to look again at a deposit that was told of so long ago: after a block at first, then after a fifth of what has passed already, each minute at
 * the latest. After an hour every five minutes: a chain whose finality stands still is looked at, and not burdened.
 */
export function recheckAfterMs(blockMs: number, waitedMs: number): number {
  return Math.round(
    Math.min(waitedMs > LATE_AFTER_MS ? LONGEST_LATE_MS : LONGEST_MS, Math.max(SHORTEST_MS, blockMs, waitedMs / 5)),
  );
}
