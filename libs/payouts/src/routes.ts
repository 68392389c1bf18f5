import type { PayoutDestination, PayoutProvider } from './payout-provider.js';

/** Which rails pay what, first choice first: destination kind × currency → provider ids. */
export const PAYOUT_ROUTES: Readonly<Record<PayoutDestination['kind'], Readonly<Record<string, readonly string[]>>>> = {
  bank: {
    KES: ['sandbox'],
    NGN: ['sandbox'],
    MWK: ['sandbox'],
  },
};

/**
 * The providers that can pay this destination, in order of preference; [] where none can. A provider that is
 * not among `providers` is not configured here and is passed over.
 */
export function routesFor(
  destination: Pick<PayoutDestination, 'kind'>,
  currency: string,
  providers: readonly PayoutProvider[],
): PayoutProvider[] {
  const byCurrency = PAYOUT_ROUTES[destination.kind];
  const ids = Object.hasOwn(byCurrency, currency) ? (byCurrency[currency] ?? []) : [];
  return ids.flatMap((id) => providers.find((provider) => provider.id === id) ?? []);
}
