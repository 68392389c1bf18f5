import type { PayoutDestination, PayoutProvider } from './payout-provider.js';

/** The two rails of the sandbox: whatever is paid in shillings has a second way to go. */
const BOTH = ['sandbox', 'sandbox_b'] as const;
const FIRST = ['sandbox'] as const;

/** Which rails pay what, first choice first: destination kind × currency → provider ids. */
export const PAYOUT_ROUTES: Readonly<Record<PayoutDestination['kind'], Readonly<Record<string, readonly string[]>>>> = {
  bank: { KES: BOTH, NGN: FIRST, MWK: FIRST },
  mobile: { KES: BOTH },
  paybill: { KES: BOTH },
  till: { KES: BOTH },
};

/**
 * The providers that can pay this amount (in minor units) to this destination, in order of preference; [] where none
 * can. Passed over are providers that are not among `providers` (not configured here), and those whose own limits
 * exclude the amount.
 */
export function routesFor(
  destination: Pick<PayoutDestination, 'kind'>,
  currency: string,
  amountMinor: bigint,
  providers: readonly PayoutProvider[],
): PayoutProvider[] {
  const byCurrency = PAYOUT_ROUTES[destination.kind];
  const ids = Object.hasOwn(byCurrency, currency) ? (byCurrency[currency] ?? []) : [];
  return ids.flatMap((id) => providers.find((provider) => provider.id === id && takes(provider, currency, amountMinor)) ?? []);
}

function takes({ capabilities: { limits } }: PayoutProvider, currency: string, amountMinor: bigint): boolean {
  const limit = Object.hasOwn(limits, currency) ? limits[currency] : undefined;
  return limit === undefined || (amountMinor >= limit.minMinor && amountMinor <= limit.maxMinor);
}
