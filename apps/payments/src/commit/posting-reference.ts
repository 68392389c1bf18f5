import { type Money, postingLegs, postingReference, type PostingName } from '@vuka/domain';

import type { Posting } from './payment-commit.js';

/** `payout-settled:1042`, or the n-th: `duplicate-payment:1042:2`. Unique in the ledger. */
export function referenceOf(name: PostingName, id: number | string, n?: number): string {
  return postingReference(name.toLowerCase().replaceAll('_', '-'), id, n);
}

/** Whose fee, and from which float it is taken. */
export interface FeeOf {
  readonly transactionId: number;
  readonly attemptNo: number;
  readonly provider: string;
  readonly wallet: string;
}

/** Once for each attempt, whoever tells it: `provider-fee:1042:1`. */
export function feeReference({ transactionId, attemptNo }: Pick<FeeOf, 'transactionId' | 'attemptNo'>): string {
  return referenceOf('provider_fee', transactionId, attemptNo);
}

/** `fee` is above 0 and of the attempt's currency. */
export function providerFeePosting(of: FeeOf, fee: Money): Posting {
  const { provider, wallet } = of;
  return {
    reference: feeReference(of),
    kind: 'provider_fee',
    legs: postingLegs('provider_fee', { provider, wallet, amount: fee }),
  };
}
