import { WALLET_CURRENCIES, type Money } from '@vuka/domain';

import type { PayoutDestination, PayoutProvider } from './payout-provider.js';

/** The two providers of the sandbox: whatever is paid has a second way to go. */
const BOTH = ['sandbox', 'sandbox_b'] as const;

/**
 * Which providers pay what, first choice first: destination kind → provider ids, in every currency. Which kinds there are in a currency
 * is not theirs to say but the rules' (libs/domain).
 */
export const PAYOUT_ROUTES: Readonly<Record<PayoutDestination['kind'], readonly string[]>> = {
  bank: BOTH,
  mobile: BOTH,
  paybill: BOTH,
  till: BOTH,
};

/**
 * The providers that can pay this amount to this destination, in order of preference; [] where none
 * can. Passed over are providers that are not among `providers` (not configured here), and those whose own limits
 * exclude the amount.
 */
export function routesFor(
  destination: Pick<PayoutDestination, 'kind'>,
  amount: Money,
  providers: readonly PayoutProvider[],
): PayoutProvider[] {
  const ids = WALLET_CURRENCIES.some((code) => code === amount.currency) ? PAYOUT_ROUTES[destination.kind] : [];
  return ids.flatMap((id) => providers.find((provider) => provider.id === id && takes(provider, amount)) ?? []);
}

function takes({ capabilities: { limits } }: PayoutProvider, { minor, currency }: Money): boolean {
  const limit = Object.hasOwn(limits, currency) ? limits[currency] : undefined;
  return limit === undefined || (minor >= limit.minMinor && minor <= limit.maxMinor);
}
