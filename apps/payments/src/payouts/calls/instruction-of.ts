import type { Money } from '@vuka/domain';
import type { PayoutInstruction } from '@vuka/payouts';

import type { DestinationVault, TransactionSnapshot } from '../../transactions/index.js';

export interface CommittedAttempt {
  readonly transaction: Pick<TransactionSnapshot, 'details' | 'destination'>;
  readonly providerReference: string;
  readonly amount: Money;
  /** null: not told. */
  readonly providerPaymentId: string | null;
}

/** What a provider is told of an attempt, the same each time. */
export function instructionOf(attempt: CommittedAttempt, vault: DestinationVault): PayoutInstruction {
  const { details, destination } = attempt.transaction;
  return {
    attemptId: attempt.providerReference,
    orderId: String(details.id),
    amount: attempt.amount,
    traceparent: details.traceparent,
    destination: vault.open(details.id, details.amount.currency, destination),
    ...(attempt.providerPaymentId !== null && { providerPaymentId: attempt.providerPaymentId }),
  };
}
