import { type Money, postingLegs } from '@vuka/domain';

import type { Posting } from './payment-commit.js';
import { referenceOf } from './posting-reference.js';

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
