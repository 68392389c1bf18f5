import type { TransferCost } from '@vuka/chains';
import { costCents, formatDecimal, formatLimit, leastWorth, type Chain } from '@vuka/domain';

import type { RefundInHand } from './refund-in-hand.js';
import { COST } from './refund-troubles.js';

type Judged = Pick<RefundInHand, 'amount' | 'decimals' | 'costAllowedMinor'>;

export const RENT_PERIOD_MS = 24 * 60 * 60_000;
const CENTS = 2;

/** null: within the limit, or people allowed it. */
export function whyTooDear(chain: Chain, refund: Judged, cost: TransferCost): string | null {
  const least = leastWorth(chain, refund, cost.totalMinor);
  if (refund.amount.minor >= least || isAllowed(refund, cost)) return null;
  return `${COST}: its transfer costs up to ${costText(chain, cost.totalMinor)}. At this cost only refunds of ${formatDecimal(least, refund.decimals)} or more are sent without a person. A person decides whether it may be sent`;
}

/** Limit for all refunds of the partner in a period. null: none. */
export function mostRent(chain: Chain, refund: Judged, cost: TransferCost): bigint | null {
  return chain.family === 'solana' && cost.rentMinor > 0n && !isAllowed(refund, cost) ? chain.mostRentADay : null;
}

export function rentSpent(chain: Chain, { rentMinor }: TransferCost): string {
  return `${COST}: its transfer creates an account for ${costText(chain, rentMinor)}, and refunds of its partner have reached the daily limit of that cost. A person decides whether it may be sent`;
}

const isAllowed = ({ costAllowedMinor }: Judged, { totalMinor }: TransferCost): boolean =>
  costAllowedMinor !== null && totalMinor <= costAllowedMinor;

function costText(chain: Chain, minor: bigint): string {
  return `USD ${formatLimit(costCents(chain, minor), CENTS)} (${formatDecimal(minor, chain.fees.coinDecimals)} ${chain.nativeCoin})`;
}
