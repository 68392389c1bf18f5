import type { ProviderBalanceView } from '@vuka/payments';

/** How a provider's balance stands against the ledger. `with_people`: what the provider has paid by payments that are in review, nobody has said yet. */
export type ProviderVerdict = 'sound' | 'differs' | 'with_people';

export interface JudgedProvider extends ProviderBalanceView {
  readonly verdict: ProviderVerdict;
  /** Beyond what the ledger and payments under way explain; below nothing: the provider has paid more than the ledger knows of. */
  readonly difference_minor: bigint;
}

/** A provider's balance = −its account − amounts under way where it debits when it accepts; where it debits when it pays, any part of those. By which of the two, its bounds say. */
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
