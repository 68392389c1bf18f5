import type { ChainHeights } from '../deposit/sighting.js';

/** USD 100 and 2,000. The second is about the largest payout. */
export const SMALL_USD_CENTS = 100_00n;
export const DEFAULT_USD_CENTS = 2_000_00n;

/** If both conditions are set, both must hold. */
export interface FinalityTier {
  /** Inclusive; null: no limit. */
  readonly maxUsdCents: bigint | null;
  readonly tag: 'safe' | 'finalized' | null;
  readonly minDepth: number;
  /** If the chain does not report the tag; null: none. */
  readonly depthWithoutTag: number | null;
}

/** chains.md section 2. A tag can stall or be wrong. So each tier is at least as strict as the one before. */
export interface FinalityRule {
  /** Stored with every judged deposit; increase it with each change. */
  readonly version: number;
  readonly tiers: readonly FinalityTier[];
  /** How far `finalized` may lag behind `latest` before an alarm. Meanwhile deposits wait. */
  readonly maxTagLagMs: number;
}

export function finalityTier(rule: FinalityRule, usdCents: bigint): FinalityTier {
  const tier = rule.tiers.find(({ maxUsdCents }) => maxUsdCents === null || usdCents <= maxUsdCents);
  if (tier === undefined) throw new Error('a finality rule ends with a tier without limit');
  return tier;
}

/**
 * The largest tier holds, and the block is not above `finalized`. Before that, smaller paid values may still
 * vanish.
 */
export function isFinalForGood(rule: FinalityRule, heights: ChainHeights, blockNumber: number): boolean {
  const [largest] = rule.tiers.slice(-1);
  if (largest === undefined) throw new Error('a finality rule ends with a tier without limit');
  return (heights.finalized === null || blockNumber <= heights.finalized) && hasTier(largest, heights, blockNumber);
}

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
  // Finalized implies safe, also if the chain does not report `safe`.
  const height = tag === 'safe' ? (heights.safe ?? heights.finalized) : heights.finalized;
  if (height === null) return depthWithoutTag !== null && depth >= depthWithoutTag;
  return blockNumber <= height;
}
