import type { DestinationKind } from '@vuka/domain';

import type { PayoutProvider } from './payout-provider.js';

/** What the provider says of one corridor of ours. `network` null: all of the kind. */
export interface CorridorAvailability {
  readonly currency: string;
  readonly kind: DestinationKind;
  readonly network: string | null;
  readonly state: 'open' | 'slow' | 'closed';
}

export type AvailabilityAnswer =
  /** Corridors that it does not name are as if open. */
  | { readonly outcome: 'told'; readonly corridors: readonly CorridorAvailability[]; readonly at: Date }
  /** Down, late, or unreadable. */
  | { readonly outcome: 'failed'; readonly detail: string };

/** A provider that tells which networks it can pay now. Never throws for provider trouble. */
export interface AvailabilityProvider extends PayoutProvider {
  availability(): Promise<AvailabilityAnswer>;
}

export function tellsAvailability(provider: PayoutProvider): provider is AvailabilityProvider {
  return 'availability' in provider;
}
