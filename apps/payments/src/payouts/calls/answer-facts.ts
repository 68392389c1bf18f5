import { isFinalAttempt } from '@vuka/domain';

import type { ClaimedAttempt, History } from '../../transactions/index.js';
import { NEVER_TAKEN, type ProviderEvent } from '../payment-updates.js';
import { ownIdOf } from './own-id.js';

/**
 * Only the answer to the single submit proves that nothing was taken. `deferred` from a repeat or a query proves
 * nothing.
 */
export function isFirstCall({ was: before }: ClaimedAttempt): boolean {
  return before === 'INTENT';
}

/** True if it is new that the provider has, or had, our id. */
export function tellsOfOurId(attempt: ClaimedAttempt, { outcome }: ProviderEvent): boolean {
  if (isFinalAttempt(attempt.was) || (attempt.was === 'PENDING' && outcome === 'submitted')) return false;
  if (outcome === 'not_paid') return !isFirstCall(attempt);
  return outcome !== 'unknown' && outcome !== 'deferred';
}

export function isNewId({ providerPaymentId }: ClaimedAttempt, answer: ProviderEvent): boolean {
  const told = ownIdOf(answer);
  return told !== undefined && told !== providerPaymentId;
}

export function isOurFault(answer: ProviderEvent): boolean {
  return answer.outcome === 'not_paid' && answer.ourFault !== undefined;
}

/** A return of money of which no payment is on record: it never arrived, so that it is not paid. */
export function asUnpaid(answer: ProviderEvent, attempt: ClaimedAttempt, history: History): ProviderEvent {
  if (answer.outcome !== 'reversed' || answer.elseNotPaid === undefined || attempt.was === 'PAID') return answer;
  const { attempts, duplicatePayment } = history;
  const isPaid = [...attempts, ...duplicatePayment].some(
    ({ attemptNo, receiptNumber }) => attemptNo === attempt.attemptNo && receiptNumber !== null,
  );
  const { elseNotPaid: code, detail, providerPaymentId } = answer;
  if (isPaid) return answer;
  return {
    outcome: 'not_paid',
    code,
    routeLeft: false,
    detail,
    ...(providerPaymentId !== undefined && { providerPaymentId }),
  };
}

export function isNeverTaken(answer: ProviderEvent): boolean {
  return answer.outcome === 'not_paid' && answer.detail === NEVER_TAKEN.detail;
}

/** As it is committed now, also after its claim. */
export function isAcknowledged({ attemptNo }: ClaimedAttempt, { attempts }: History): boolean {
  return attempts.some((one) => one.attemptNo === attemptNo && one.isAcknowledged);
}

/** The attempt was claimed before the statement listed it. */
export function isListed(attempt: ClaimedAttempt, answer: ProviderEvent, history: History): boolean {
  return isNeverTaken(answer) && isAcknowledged(attempt, history);
}

export function isResolved({ attemptNo }: ClaimedAttempt, { outcome }: ProviderEvent, { resolved }: History): boolean {
  return resolved.some((one) => one.attemptNo === attemptNo && one.event === outcome);
}

export function saysNothingNew(attempt: ClaimedAttempt, answer: ProviderEvent, { attempts }: History): boolean {
  const { endedBy = null } = attempts.find(({ attemptNo }) => attemptNo === attempt.attemptNo) ?? {};
  switch (answer.outcome) {
    case 'mismatch':
      // Settled from REVIEW (no late window): people decided on this contradiction.
      return endedBy === 'settled' && attempt.lateUntil === null;
    case 'unknown':
      // Expected: a provider does not know an id that it did not take or refused, or that people settled.
      return (
        isFinalAttempt(attempt.was) &&
        (endedBy === 'deferred' ||
          (endedBy === 'refused' && answer.notFound === true) ||
          endedBy === 'settled' ||
          attempt.providerDetail === NEVER_TAKEN.detail)
      );
    case 'deferred':
      // From a query it proves nothing: recorded once while the attempt is open, ignored after its end.
      return !isFirstCall(attempt) && (isFinalAttempt(attempt.was) || attempt.providerDetail === answer.detail);
    default:
      return false;
  }
}

export function detailOf(answer: ProviderEvent): string {
  if (answer.outcome === 'not_paid') return `${answer.code}: ${answer.detail}`;
  if (answer.outcome === 'deferred') return `${answer.reason}: ${answer.detail}`;
  if (answer.outcome === 'succeeded') return `receipt ${answer.receipt}`;
  if (answer.outcome === 'reversed') return `receipt ${answer.receipt} came back`;
  return 'detail' in answer ? answer.detail : '';
}
