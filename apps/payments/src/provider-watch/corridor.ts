import { givenOf, type TransactionSnapshot } from '../transactions/index.js';

/** Labels of what one provider pays. All are from bounded sets. */
export interface PaidCorridor {
  readonly provider: string;
  readonly currency: string;
  readonly kind: string;
  /** Of mobile recipients; else `none`. */
  readonly network: string;
}

export const CORRIDOR_LABELS = ['provider', 'currency', 'kind', 'network'] as const;

export function corridorOf(
  provider: string,
  { details, destination }: Pick<TransactionSnapshot, 'details' | 'destination'>,
): PaidCorridor {
  const { kind, mobileNetwork } = destination;
  return {
    provider,
    currency: givenOf(details).currency,
    kind,
    network: mobileNetwork === '' ? 'none' : mobileNetwork,
  };
}
