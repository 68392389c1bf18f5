import type { Currency, DestinationRules, WalletCurrency } from '../currency/currency.js';
import { CURRENCIES } from '../currency/registry.js';
import type { DestinationKind } from '../destination/destination.js';

/** Where money goes: in which currency, to which kind of recipient, on which mobile network. */
export interface Corridor {
  /** What is paid, which the path's currency need not be. */
  readonly currency: WalletCurrency;
  readonly kind: DestinationKind;
  /** Of `mobile`, its name in our rules; null for every other kind. */
  readonly network: string | null;
}

export interface KnownCorridor extends Corridor {
  /** ISO 3166-1 alpha-2. */
  readonly countries: readonly string[];
}

export function corridorName({ currency, kind, network }: Corridor): string {
  return [currency, kind, ...(network === null ? [] : [network])].join(' ');
}

export function isSameCorridor(a: Corridor, b: Corridor): boolean {
  return a.currency === b.currency && a.kind === b.kind && a.network === b.network;
}

/** All that our rules know. */
export const CORRIDORS: readonly KnownCorridor[] = mergedByCorridor(Object.values<Currency>(CURRENCIES).flatMap(corridorsOf));

function corridorsOf({ country, payouts }: Currency): KnownCorridor[] {
  return payouts.flatMap(({ currency, destinations }) =>
    destinations.flatMap((rules) =>
      networksOf(rules).map((network) => ({ currency, kind: rules.kind, network, countries: [country] })),
    ),
  );
}

function networksOf(rules: DestinationRules): readonly (string | null)[] {
  return rules.kind === 'mobile' ? rules.networks.map(({ name }) => name) : [null];
}

function mergedByCorridor(all: readonly KnownCorridor[]): KnownCorridor[] {
  const first = all.filter((one, place) => all.findIndex((other) => isSameCorridor(one, other)) === place);
  return first.map((one) => ({
    ...one,
    countries: all.filter((other) => isSameCorridor(one, other)).flatMap(({ countries }) => countries),
  }));
}
