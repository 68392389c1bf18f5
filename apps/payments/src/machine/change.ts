import type { FailureCode, Money } from '@vuka/domain';

import type { Verdict } from '../value/index.js';
import type { History } from '../transactions/index.js';
import type { AttemptPatch, PaymentCommit, NewAttempt } from '../commit/index.js';

export interface Change {
  readonly at: Date;
  readonly event: string;
  readonly attemptNo: number;
  /** Codes and reasons; never an account number. */
  readonly detail: string;
  readonly provider?: string;
  /** The provider's wallet that pays. */
  readonly wallet?: string;
  /** What the provider charges for the payment of this attempt: posted with it. */
  readonly providerFee?: Money;
  readonly newAttempt?: NewAttempt;
  readonly attemptPatches?: readonly AttemptPatch[];
  readonly history: History;
  /** Of the event's payment. */
  readonly receipt?: string;
  /** According to people, if not as ordered. */
  readonly reallyPaid?: Money;
  readonly settlement?: PaymentCommit['settlement'];
  readonly act?: PaymentCommit['act'];
  readonly refundId?: number;
  readonly verdict?: Verdict;
  readonly receiptNumber?: string;
  /** Sealed (AttemptStore.keptName). */
  readonly publicName?: string | null;
  readonly failureCode?: FailureCode;
  /** In QUEUED: the failure code once people resolve the wait, because no provider is left. */
  readonly failsAfterwards?: FailureCode;
  readonly dueAt?: Date;
  /** null: none while people decide. */
  readonly parkDeadline?: Date | null;
}
