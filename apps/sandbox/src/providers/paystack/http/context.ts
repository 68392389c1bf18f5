import type { CallbackQueue } from '../../simulation/callback-queue.js';
import type { SimulatorClock } from '../../simulation/simulator-clock.js';
import type { WithheldAnswers } from '../../http/withheld-answers.js';
import type { SigningFault } from '../behaviour/behaviour.js';
import type { PaystackBook } from '../book/paystack-book.js';
import type { PaystackSettings } from '../settings.js';
import type { Approvals } from '../webhooks/approvals.js';
import type { Account } from './account.js';

/** What the operations work on; one simulator's. */
export interface Context extends Account {
  /** URLs may be set while it runs. */
  settings: PaystackSettings;
  readonly clock: SimulatorClock;
  readonly book: PaystackBook;
  readonly webhooks: CallbackQueue<SigningFault>;
  readonly approvals: Approvals;
  readonly withheld: WithheldAnswers;
  /** How many calls that pay each reference has had, since the start. */
  readonly submits: Map<string, number>;
  /** How many calls for a recipient each account has had, since the start. */
  readonly recipientCalls: Map<string, number>;
  /** Does what is due and waits until approvals and webhooks have been answered. */
  readonly settle: () => Promise<void>;
}

/** Which call this is, from 1. */
export function counted(calls: Map<string, number>, key: string): number {
  const count = (calls.get(key) ?? 0) + 1;
  calls.set(key, count);
  return count;
}
