import type { ChainHeights } from '../deposit/sighting.js';

/** Up to here value is small, and up to there usual: USD 100 and 2,000, the second about the most that one payout may be. */
export const SMALL_USD_CENTS = 100_00n;
export const DEFAULT_USD_CENTS = 2_000_00n;

/** What must stand over a block before value up to a limit in it counts as settled. Both conditions hold where both are set. */
export interface FinalityTier {
  /** US cents received, this much included; null: any more. */
  readonly maxUsdCents: bigint | null;
  /** The block is not above the height of this tag. */
  readonly tag: 'safe' | 'finalized' | null;
  /** Blocks on top of it. */
  readonly minDepth: number;
  /** Blocks on top of it that do instead of the tag, where the chain tells no such tag; null: nothing does. */
  readonly depthWithoutTag: number | null;
}

/**
 * When a block of a chain is final, by what is at stake (chains.md section 2). A tag can stall or be wrong, so each tier asks for no
 * less than the one before it: more value is never settled sooner.
 */
export interface FinalityRule {
  /** Recorded with every deposit judged by it: counts up with each change. */
  readonly version: number;
  /** By rising limit; the last has none. */
  readonly tiers: readonly FinalityTier[];
  /** How far `finalized` may fall behind `latest` before it is an alarm, milliseconds. Meanwhile deposits wait. */
  readonly maxTagLagMs: number;
}

/** The tier of value received, in US cents. */
export function finalityTier(rule: FinalityRule, usdCents: bigint): FinalityTier {
  const tier = rule.tiers.find(({ maxUsdCents }) => maxUsdCents === null || usdCents <= maxUsdCents);
  if (tier === undefined) throw new Error('a finality rule ends with a tier without limit');
  return tier;
}

/**
 * Whether a block stays for good: what the largest tier asks for, and never above `finalized`. Until then what was paid on a smaller tier may
 * still vanish; a block that has vanished by then does not come back.
 */
export function isFinalForGood(rule: FinalityRule, heights: ChainHeights, blockNumber: number): boolean {
  const [largest] = rule.tiers.slice(-1);
  if (largest === undefined) throw new Error('a finality rule ends with a tier without limit');
  return (heights.finalized === null || blockNumber <= heights.finalized) && hasTier(largest, heights, blockNumber);
}

/** Whether a block is final for so much value; of heights on which the endpoints agree. */
export function isFinal(rule: FinalityRule, usdCents: bigint, heights: ChainHeights, blockNumber: number): boolean {
  return hasTier(finalityTier(rule, usdCents), heights, blockNumber);
}

function hasTier(
  { tag, minDepth, depthWithoutTag }: FinalityTier,
  heights: ChainHeights,
  blockNumber: number,
): boolean {
  const depth = heights.latest - blockNumber;
  if (depth < minDepth) return false;
  if (tag === null) return true;
  // What is finalized is safe, also where a chain does not say what is safe.
  const height = tag === 'safe' ? (heights.safe ?? heights.finalized) : heights.finalized;
  if (height === null) return depthWithoutTag !== null && depth >= depthWithoutTag;
  return blockNumber <= height;
}
