import { givenOf, type TransactionSnapshot } from '../transactions/index.js';

/** What a payment is paid by: a currency, a kind of recipient, and of phones a network. */
export interface PaidBy {
  readonly currency: string;
  readonly kind: string;
  /** null: not `mobile`. */
  readonly network: string | null;
}

/** One provider's. */
export interface ProviderCorridor extends PaidBy {
  readonly provider: string;
}

/** A provider, or some of its corridors. null: all of them. */
export interface CorridorScope {
  readonly provider: string;
  readonly currency: string | null;
  /** Only with a currency. */
  readonly kind: string | null;
  /** Only of `mobile`. */
  readonly network: string | null;
}

export function paidBy({ details, destination }: Pick<TransactionSnapshot, 'details' | 'destination'>): PaidBy {
  const { kind, mobileNetwork } = destination;
  return { currency: givenOf(details).currency, kind, network: kind === 'mobile' ? mobileNetwork : null };
}

export function covers(scope: CorridorScope, corridor: ProviderCorridor): boolean {
  return (
    scope.provider === corridor.provider &&
    (scope.currency === null || scope.currency === corridor.currency) &&
    (scope.kind === null || scope.kind === corridor.kind) &&
    (scope.network === null || scope.network === corridor.network)
  );
}

/** `pawapay GHS mobile MTN` */
export function scopeName({ provider, currency, kind, network }: CorridorScope): string {
  return [provider, currency, kind, network].filter((part) => part !== null).join(' ');
}
