import { WALLET_CURRENCIES, type Money } from '@vuka/domain';

import type { PayoutDestination, PayoutProvider } from './payout-provider.js';

/** Every payout has a second provider. */
const BOTH = ['sandbox', 'sandbox_b'] as const;

/** In order of preference, for every currency. libs/domain says which kinds a currency has. */
export const PAYOUT_ROUTES: Readonly<Record<PayoutDestination['kind'], readonly string[]>> = {
  bank: BOTH,
  mobile: BOTH,
  paybill: BOTH,
  till: BOTH,
};

/**
 * In order of preference. Skips providers that are not in `providers`, and those whose limits exclude the
 * amount.
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
