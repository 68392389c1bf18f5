import type { History } from './attempt.store.js';
import type { AttemptPatch, TransactionLife } from '../commit/index.js';

/** Gives an attempt up that was never sent. The fence holds it against a claim that would send it. */
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

/** What gives the current attempt up, where that is unsent: what a provider lists was sent, whatever is known here. */
export function unsentCurrent(
  life: Pick<TransactionLife, 'attemptNo'>,
  { attempts }: Pick<History, 'attempts'>,
  why: string,
): AttemptPatch | undefined {
  const current = attempts.find(({ attemptNo }) => attemptNo === life.attemptNo);
  return current?.state === 'INTENT' && !current.isAcknowledged ? givenUp(current, why) : undefined;
}
