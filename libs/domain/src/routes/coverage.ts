import type { AmountLimits } from '../currency/currency.js';
import { currencyDecimals } from '../currency/registry.js';
import type { DestinationKind, LookupDestination } from '../destination/destination.js';
import type { Money } from '../money/money.js';
import { CORRIDORS, corridorName, type Corridor } from './corridors.js';

/** What one provider takes on one corridor. */
export interface Carrier {
  /** Its id. */
  readonly provider: string;
  /** Decimals that what the recipient gets may have. */
  readonly decimals: number;
  /** Of what the recipient gets; null: none known. */
  readonly limits: AmountLimits | null;
  /** Our codes of the banks it pays; null: all of ours. */
  readonly banks: ReadonlySet<string> | null;
  /** Characters of an account number, inclusive; null: not known. */
  readonly accountLength: { readonly min: number; readonly max: number } | null;
}

export interface Route extends Corridor {
  /** First choice first. */
  readonly carriers: readonly Carrier[];
}

/** What a deployment can pay: its routes, at most one of each corridor. */
export type Coverage = readonly Route[];

/** What a route asks of a recipient, without its number. */
export interface RoutedRecipient {
  readonly kind: DestinationKind;
  /** null: not `mobile`. */
  readonly network: string | null;
  /** null: no bank. */
  readonly bankCode: string | null;
  /** null: it has none, or it is not known. */
  readonly accountLength: number | null;
}

export function routedRecipient(destination: LookupDestination): RoutedRecipient {
  return {
    kind: destination.kind,
    network: destination.kind === 'mobile' ? destination.mobile_network : null,
    bankCode: destination.kind === 'bank' ? destination.bank_code : null,
    accountLength: 'account_number' in destination ? destination.account_number.length : null,
  };
}

export function routeTo(
  coverage: Coverage,
  currency: string,
  { kind, network }: Pick<RoutedRecipient, 'kind' | 'network'>,
): Route | undefined {
  return coverage.find((route) => route.currency === currency && route.kind === kind && route.network === network);
}

/** First choice first. `given`: what the recipient gets. []: nobody pays it. */
export function carriersOf(coverage: Coverage, recipient: RoutedRecipient, given: Money): readonly Carrier[] {
  const carriers = routeTo(coverage, given.currency, recipient)?.carriers ?? [];
  return carriers.filter(
    (carrier) => paysBank(carrier, recipient) && takesAccount(carrier, recipient) && takesAmount(carrier, given),
  );
}

export function paysBank({ banks }: Carrier, { bankCode }: RoutedRecipient): boolean {
  return bankCode === null || banks === null || banks.has(bankCode);
}

export function takesAccount({ accountLength: takes }: Carrier, { accountLength: has }: RoutedRecipient): boolean {
  return takes === null || has === null || (has >= takes.min && has <= takes.max);
}

function takesAmount(carrier: Carrier, given: Money): boolean {
  return takesDecimals(carrier, given) && takesSize(carrier, given);
}

export function takesDecimals({ decimals }: Carrier, { minor, currency }: Money): boolean {
  const dropped = currencyDecimals(currency) - decimals;
  return dropped <= 0 || minor % 10n ** BigInt(dropped) === 0n;
}

export function takesSize({ limits }: Carrier, { minor }: Money): boolean {
  return limits === null || (minor >= limits.minMinor && minor <= limits.maxMinor);
}

/** The widest of them all; null: at least one has no such bound. */
export function widestBounds(carriers: readonly Carrier[]): {
  readonly minMinor: bigint | null;
  readonly maxMinor: bigint | null;
} {
  const limits = carriers.flatMap((carrier) => carrier.limits ?? []);
  if (limits.length < carriers.length || limits.length === 0) return { minMinor: null, maxMinor: null };
  return {
    minMinor: limits.map(({ minMinor }) => minMinor).reduce((a, b) => (a < b ? a : b)),
    maxMinor: limits.map(({ maxMinor }) => maxMinor).reduce((a, b) => (a > b ? a : b)),
  };
}

export interface PayableAmounts {
  readonly decimals: number;
  readonly limits: AmountLimits;
}

/** Ours, as far as a provider of the route takes them; null: none does. */
export function coveredAmounts(
  coverage: Coverage,
  corridor: Corridor,
  { decimals, limits }: PayableAmounts,
): PayableAmounts | null {
  const name = corridorName(corridor);
  const carriers = coverage.find((route) => corridorName(route) === name)?.carriers ?? [];
  if (carriers.length === 0) return null;
  const { minMinor, maxMinor } = widestBounds(carriers);
  const covered = {
    minMinor: minMinor !== null && minMinor > limits.minMinor ? minMinor : limits.minMinor,
    maxMinor: maxMinor !== null && maxMinor < limits.maxMinor ? maxMinor : limits.maxMinor,
  };
  const most = Math.max(...carriers.map((carrier) => carrier.decimals));
  return covered.minMinor > covered.maxMinor ? null : { decimals: Math.min(decimals, most), limits: covered };
}

/** Every corridor by each of these providers, without bounds of theirs: the sandbox, and tests. */
export function fullCoverage(providers: readonly string[]): Coverage {
  return CORRIDORS.map(({ currency, kind, network }) => ({
    currency,
    kind,
    network,
    carriers: providers.map((provider) => ({
      provider,
      decimals: currencyDecimals(currency),
      limits: null,
      banks: null,
      accountLength: null,
    })),
  }));
}
