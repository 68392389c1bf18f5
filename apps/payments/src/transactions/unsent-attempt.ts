import type { History } from './attempt.store.js';
import type { AttemptPatch, TransactionLife } from '../commit/index.js';

/** The fence stops a claim that would send it. */
export function givenUp(
  { attemptNo, fence }: { readonly attemptNo: number; readonly fence: number },
  why: string,
): AttemptPatch {
  return {
    attemptNo,
    fence,
    state: 'NOT_PAID',
    nextAt: null,
    receiptNumber: null,
    providerDetail: `given up unsent: ${why}`,
    lateUntil: null,
    endedBy: 'stopped',
  };
}

/** Undefined if it may have been sent: a listed id was sent, even if not recorded. */
export function unsentCurrent(
  life: Pick<TransactionLife, 'attemptNo'>,
  { attempts }: Pick<History, 'attempts'>,
  why: string,
): AttemptPatch | undefined {
  const current = attempts.find(({ attemptNo }) => attemptNo === life.attemptNo);
  return current?.state === 'INTENT' && !current.isAcknowledged ? givenUp(current, why) : undefined;
}
