import type { FailureCode, Money } from '@vuka/domain';

import type { Verdict } from '../value/index.js';
import type { History } from '../transactions/index.js';
import type { AttemptPatch, PaymentCommit, NewAttempt } from '../commit/index.js';

/** What happened, besides the decision itself. */
export interface Change {
  readonly at: Date;
  /** The machine's event. */
  readonly event: string;
  readonly attemptNo: number;
  /** Codes and reasons for the record; never an account number. */
  readonly detail: string;
  /** The provider the money went through, for postings that name it. */
  readonly provider?: string;
  readonly newAttempt?: NewAttempt;
  readonly attemptPatches?: readonly AttemptPatch[];
  readonly history: History;
  /** Of the payment the event speaks of. */
  readonly receipt?: string;
  /** What the provider really paid, where people say that it was not what it was told to. */
  readonly reallyPaid?: Money;
  readonly settlement?: PaymentCommit['settlement'];
  readonly act?: PaymentCommit['act'];
  /** Of the refund that refund_held makes. */
  readonly refundId?: number;
  /** What offramp said of the deposit. */
  readonly verdict?: Verdict;
  readonly receiptNumber?: string;
  readonly publicName?: string | null;
  readonly failureCode?: FailureCode;
  /** In QUEUED: by what it fails once people have resolved why it waits, for no provider is left. */
  readonly failsAfterwards?: FailureCode;
  readonly dueAt?: Date;
  /** null: none, until it waits for a provider again. */
  readonly parkDeadline?: Date | null;
}
