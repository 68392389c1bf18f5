import { WALLET_CURRENCIES } from '@vuka/domain';

import type { PayoutDestination, PayoutProvider } from './payout-provider.js';

/** The two rails of the sandbox: whatever is paid has a second way to go. */
const BOTH = ['sandbox', 'sandbox_b'] as const;

/**
 * Which rails pay what, first choice first: destination kind → provider ids, in every currency. Which kinds there are in a currency
 * is not theirs to say but the rules' (libs/domain).
 */
export const PAYOUT_ROUTES: Readonly<Record<PayoutDestination['kind'], readonly string[]>> = {
  bank: BOTH,
  mobile: BOTH,
  paybill: BOTH,
  till: BOTH,
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
  const ids = WALLET_CURRENCIES.some((code) => code === currency) ? PAYOUT_ROUTES[destination.kind] : [];
  return ids.flatMap(
    (id) => providers.find((provider) => provider.id === id && takes(provider, currency, amountMinor)) ?? [],
  );
}

function takes({ capabilities: { limits } }: PayoutProvider, currency: string, amountMinor: bigint): boolean {
  const limit = Object.hasOwn(limits, currency) ? limits[currency] : undefined;
  return limit === undefined || (amountMinor >= limit.minMinor && amountMinor <= limit.maxMinor);
}
