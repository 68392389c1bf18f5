import { CORRIDORS, isSameCorridor, type Corridor, type KnownCorridor } from '@vuka/domain';

import type { ConfiguredProvider } from '../file/provider-rows.js';
import type { RouteRow } from '../file/route-rows.js';
import { factoryOf, type ProviderId } from '../providers/index.js';

/**
 * First choice first. Whose record proves more comes first: its ids are deduped, its callbacks are signed, and its
 * statement is read by API.
 */
const PREFERENCE: readonly ProviderId[] = ['pawapay', 'paystack', 'chapa'];

/** Providers that carry the corridor by what they publish, first choice first. */
export function waysOf(corridor: Corridor): readonly ProviderId[] {
  return PREFERENCE.filter((id) => carries(id, {}, corridor));
}

/** All that these providers carry, each corridor with its first way, its second and so on. */
export function recommendedRoutes(rows: readonly ConfiguredProvider[]): RouteRow[] {
  return CORRIDORS.flatMap((corridor) => {
    const providers = PREFERENCE.filter((id) => rows.some((row) => row.id === id && mayPay(row, corridor)));
    if (providers.length === 0) return [];
    const { currency, kind, network } = corridor;
    return [{ currency, kind, ...(network !== null && { network }), providers }];
  });
}

function mayPay(row: ConfiguredProvider, corridor: KnownCorridor): boolean {
  return corridor.countries.some((country) => row.countries.includes(country)) && carries(row.id, row, corridor);
}

function carries(id: ProviderId, row: Partial<ConfiguredProvider>, corridor: Corridor): boolean {
  return factoryOf(id)
    .carries(row)
    .some((one) => isSameCorridor(one, corridor));
}
