import {
  CORRIDORS,
  corridorName,
  fail,
  isSameCorridor,
  ok,
  PAYOUT_TYPES,
  WALLET_CURRENCIES,
  type Corridor,
  type DestinationKind,
  type KnownCorridor,
  type Result,
  type Route,
  type WalletCurrency,
} from '@vuka/domain';
import { z } from 'zod';

import type { CarriedCorridor } from '../provider-factory.js';
import { factoryOf } from '../providers/index.js';
import { faultAt } from './fault.js';
import type { ConfiguredProvider } from './provider-rows.js';

const KINDS = Object.keys(PAYOUT_TYPES) as [DestinationKind, ...DestinationKind[]];

export const routeRow = z.strictObject({
  currency: z.enum(WALLET_CURRENCIES as [WalletCurrency, ...WalletCurrency[]]),
  kind: z.enum(KINDS),
  /** Of `mobile` alone. */
  network: z.string().optional(),
  /** Ids, first choice first. */
  providers: z.array(z.string()).min(1),
});
export type RouteRow = z.output<typeof routeRow>;

export function routeFaults(routes: readonly RouteRow[], rows: readonly ConfiguredProvider[]): string[] {
  return routes.flatMap((route, place) => {
    const path = ['routes', place];
    const corridor = corridorOf(route);
    const known = knownCorridor(corridor);
    if (!known.ok) return [faultAt([...path, known.error.member], known.error.rule)];
    const first = routes.findIndex((other) => isSameCorridor(corridorOf(other), corridor));
    return [
      ...(first < place
        ? [faultAt(path, `${corridorName(corridor)} has a route already, routes.${String(first)}`)]
        : []),
      ...route.providers.flatMap((id, choice) => {
        const isTwice = route.providers.indexOf(id) < choice;
        const why = isTwice ? `${id} is named twice` : whyNot(id, known.value, rows);
        return why === null ? [] : [faultAt([...path, 'providers', choice], why)];
      }),
    ];
  });
}

/** Of a route without faults. */
export function toRoute(row: RouteRow, rows: readonly ConfiguredProvider[]): Route {
  const corridor = corridorOf(row);
  const carriers = row.providers.map((id) => {
    const carried = carriedBy(id, corridor, rows);
    if (carried === undefined) throw new Error(`${id} does not carry ${corridorName(corridor)}`);
    const { decimals, limits, banks, accountLength } = carried;
    return { provider: id, decimals, limits, banks, accountLength };
  });
  return { ...corridor, carriers };
}

function corridorOf({ currency, kind, network }: RouteRow): Corridor {
  return { currency, kind, network: network ?? null };
}

function knownCorridor(
  corridor: Corridor,
): Result<KnownCorridor, { readonly member: keyof RouteRow; readonly rule: string }> {
  const found = CORRIDORS.find((known) => isSameCorridor(known, corridor));
  if (found !== undefined) return ok(found);
  const { currency, kind } = corridor;
  const ofKind = CORRIDORS.filter((known) => known.currency === currency && known.kind === kind);
  const networks = ofKind.flatMap(({ network }) => network ?? []);
  if (ofKind.length === 0) return fail({ member: 'kind', rule: `our rules pay no ${kind} in ${currency}` });
  const rule = networks.length > 0 ? `must be one of ${networks.join(', ')}` : `must be absent for ${kind}`;
  return fail({ member: 'network', rule });
}

/** null: it pays there. */
function whyNot(id: string, corridor: KnownCorridor, rows: readonly ConfiguredProvider[]): string | null {
  const row = rows.find((one) => one.id === id);
  if (row === undefined) return `no provider of this file has the id ${id}`;
  const isPermitted = corridor.countries.some((country) => row.countries.includes(country));
  if (!isPermitted) return `${id} has no permission in ${corridor.countries.join(', ')}: see its countries`;
  return carriedBy(id, corridor, rows) === undefined ? `${id} does not pay ${corridorName(corridor)}` : null;
}

function carriedBy(id: string, corridor: Corridor, rows: readonly ConfiguredProvider[]): CarriedCorridor | undefined {
  const row = rows.find((one) => one.id === id);
  return (
    row &&
    factoryOf(row.id)
      .carries(row)
      .find((one) => isSameCorridor(one, corridor))
  );
}
