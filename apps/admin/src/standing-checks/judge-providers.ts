import type { ProviderBalanceView } from '@vuka/payments';

/** `with_people`: payments in review may explain the difference. */
export type ProviderVerdict = 'sound' | 'differs' | 'with_people';

export interface JudgedProvider extends ProviderBalanceView {
  readonly verdict: ProviderVerdict;
  /** Unexplained. Negative: the provider paid more than the ledger knows. */
  readonly difference_minor: bigint;
}

/**
 * Balance = −account − amounts under way if the provider debits on acceptance; any part of them if on payment. Its
 * bounds tell which.
 */
export function judgeProviders(balances: readonly ProviderBalanceView[]): JudgedProvider[] {
  return balances.map((balance) => {
    const { told_minor: told, least_minor: least, most_minor: most, in_review } = balance;
    const difference_minor = told < least ? told - least : told > most ? told - most : 0n;
    return {
      ...balance,
      difference_minor,
      verdict: difference_minor === 0n ? 'sound' : in_review > 0 ? 'with_people' : 'differs',
    };
  });
}
