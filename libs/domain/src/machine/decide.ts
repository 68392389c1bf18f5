import type { PostingName } from '../ledger/postings.js';
import type { Cell, CellPosting, Condition, Effect, Outcome } from './cell.js';
import { DEPOSIT_TABLE } from './deposit-table.js';
import { DEPOSIT_EVENT_TYPES, type DepositEventType, type Subject, type TransactionEvent } from './events.js';
import { OLDER_ATTEMPT, PAYOUT_TABLE, type AttemptSpokenOf } from './payout-table.js';
import { isTerminal, type TransactionState } from './states.js';

export interface DecisionStep {
  readonly to: TransactionState;
  readonly post: readonly PostingName[];
}

/**
 * All of it in one commit. move: each step has its own sequence number and webhook. ignore: writes nothing.
 * record: history and postings, same state. conflict: same state, an incident, and postings of the money that
 * moved.
 */
export type Decision =
  | { readonly kind: 'move'; readonly steps: readonly DecisionStep[]; readonly effects: readonly Effect[] }
  | { readonly kind: 'ignore'; readonly effects: readonly Effect[] }
  | { readonly kind: 'record'; readonly post: readonly PostingName[]; readonly effects: readonly Effect[] }
  | { readonly kind: 'conflict'; readonly post: readonly PostingName[]; readonly effects: readonly Effect[] }
  | { readonly kind: 'refuse' };

const DEPOSIT_EVENTS: ReadonlySet<string> = new Set(DEPOSIT_EVENT_TYPES);
const OLDER_EVENTS: ReadonlySet<string> = new Set(Object.keys(OLDER_ATTEMPT));
const PEOPLE_NEEDED = 2;

const ANSWERS: Readonly<Record<Condition, (subject: Subject, event: TransactionEvent) => boolean>> = {
  same_receipt: (_, event) => event.type === 'succeeded' && event.sameReceipt,
  two_people: (_, event) =>
    'evidence' in event && event.evidence !== undefined && new Set(event.evidence.approvedBy).size >= PEOPLE_NEEDED,
  proven_not_taken: (_, event) => event.type === 'deferred' && event.provenNotTaken,
  our_fault: (_, event) => event.type === 'not_paid_route_left' && event.ourFault === true,
  no_attempt_sent: (subject) => subject.attemptSent !== true,
  duplicate_payment_posted: (subject) => subject.duplicatePayment !== undefined,
  ours_stands: (subject) => subject.oursStands === true,
  nothing_under_way: (subject) =>
    subject.state === 'QUEUED' || (subject.state === 'SUBMITTING' && subject.currentUnsent === true),
  attempt_unsent: (subject) => subject.currentUnsent === true,
  not_ended: (subject) => !isTerminal(subject.state),
  same_deposit: (_, event) => 'deposit' in event && event.deposit === 'same',
  releases_claim: (_, event) => event.type === 'deposit.unusable' && event.releasesClaim,
  screening_hit: (_, event) => event.type === 'deposit.verified' && event.screeningHit,
  already_reverted: (subject) => subject.depositReverted === true,
  value_unapplied: (subject) => subject.valueAt === 'unapplied',
  value_in_wallet: (subject) => subject.valueAt === 'wallet',
  value_refunding: (subject) => subject.valueAt === 'refunding',
  value_refunded: (subject) => subject.valueAt === 'refunded',
  refund_ungranted: (subject) => subject.refund === 'ungranted',
  refund_granted: (subject) => subject.refund === 'granted',
  payment_stands: (subject) => subject.paymentStands === true,
};

/** Pure: same rows and event, same answer. So after `stale`, the caller can read and decide again. */
export function decide(subject: Subject, event: TransactionEvent): Decision {
  const { choices, otherwise } = cellFor(subject, event);
  const chosen = choices.find(({ when }) => ANSWERS[when](subject, event));
  return resolve(chosen?.then ?? otherwise, subject);
}

function cellFor(subject: Subject, event: TransactionEvent): Cell {
  if (isDepositEvent(event.type)) {
    // Without a deposit, every verdict is wrong in any state.
    return DEPOSIT_TABLE[subject.fundedBy === 'wallet' ? 'ACCEPTED' : subject.state][event.type];
  }
  if (subject.attempt?.isCurrent === false && isAttemptEvent(event.type)) return OLDER_ATTEMPT[event.type];
  return PAYOUT_TABLE[subject.state][event.type];
}

function isDepositEvent(type: TransactionEvent['type']): type is DepositEventType {
  return DEPOSIT_EVENTS.has(type);
}

function isAttemptEvent(type: TransactionEvent['type']): type is AttemptSpokenOf {
  return OLDER_EVENTS.has(type);
}

function resolve(outcome: Outcome, subject: Subject): Decision {
  const postings = (post: readonly CellPosting[]): PostingName[] => post.map((name) => postingFor(name, subject));
  if (outcome.kind === 'move') {
    return {
      ...outcome,
      steps: outcome.steps.map(({ to, post }) => ({ to, post: [...postings(post), ...nowOwed(to, post, subject)] })),
    };
  }
  return outcome.kind === 'record' || outcome.kind === 'conflict'
    ? { ...outcome, post: postings(outcome.post) }
    : outcome;
}

function postingFor(name: CellPosting, subject: Subject): PostingName {
  switch (name) {
    case 'payout_released/refund_held': {
      // Only a deposit that still stands, is large enough and has an address can be refunded on chain.
      const mayGoBack =
        subject.fundedBy === 'deposit' &&
        subject.refundAddress &&
        subject.depositReverted !== true &&
        subject.tooLittleToSend !== true;
      // receivable_collected can take the debt from the wallet, including a new debt (duplicate_payment_owed).
      const isNeeded = subject.chainExitBlock === true || subject.oursStands === true;
      return mayGoBack && !isNeeded ? 'refund_held' : 'payout_released';
    }
    case 'duplicate_payment':
      return hasMoneyBack(subject.state) && subject.paymentStands !== true
        ? 'duplicate_payment'
        : 'duplicate_payment_ours';
    case 'duplicate_payment_returned':
      return subject.duplicatePayment === 'ours' ? 'duplicate_payment_ours_returned' : 'duplicate_payment_returned';
    default:
      return name;
  }
}

/**
 * If the partner's money was returned, it owes a duplicate payment. Otherwise a provider's fault must not
 * charge it twice.
 */
function hasMoneyBack(state: TransactionState): boolean {
  return state === 'FAILED' || state === 'REVERSED';
}

function nowOwed(to: TransactionState, post: readonly CellPosting[], subject: Subject): PostingName[] {
  // payout_settled means that the money was not returned, whatever the state.
  return hasMoneyBack(to) && subject.oursStands === true && !post.includes('payout_settled')
    ? ['duplicate_payment_owed']
    : [];
}
