import { cell, choose, conflict, ignore, move, moveTwice, record, refuse, withEffects, type Cell } from './cell.js';
import type { PayoutEventType } from './events.js';
import type { TransactionState } from './states.js';

type Row = Readonly<Record<PayoutEventType, Cell>>;

const clash = cell(conflict());
/** A payment that is not allowed is still posted, once per receipt. */
const duplicatePayment = choose(['same_receipt', ignore()], conflict(['duplicate_payment']));
/** The money is still held and no call is open, so a late payment is simply the payment. */
const paidAfterAll = withEffects(move('COMPLETE', 'payout_settled'), 'alarm');
/** Never pay twice: a duplicate_payment_ours becomes this transaction's payment. */
const paidAlready = withEffects(move('COMPLETE', 'duplicate_payment_returned', 'payout_settled'), 'alarm');
/** The value is still ours: it funds the payout again instead of a refund. */
const paidBeforeGrant = withEffects(move('FAILED', 'refund_hold_withdrawn', 'payout_settled'), 'alarm');
/** Paid and also refunded on chain: the partner owes it. Nothing more leaves before a person checked. */
const paidAndSentBack = conflict(['duplicate_payment'], ['freeze_partner', 'collect_receivable']);
const cameBack = choose(['duplicate_payment_posted', conflict(['duplicate_payment_returned'])], conflict());
/** The provider denies a payment that the ledger has. */
const takenBack = choose(['duplicate_payment_posted', conflict([], ['requery'])], ignore());
const takenBackOfFailed = choose(
  ['duplicate_payment_posted', conflict([], ['requery'])],
  ['payment_stands', conflict([], ['requery'])],
  ignore(),
);
/** For another provider, or until we have put right what keeps this one from paying. */
const backToQueue = choose(['our_fault', withEffects(move('QUEUED'), 'alarm')], move('QUEUED'));
const failed = move('FAILED', 'payout_released/refund_held');
const complete = move('COMPLETE', 'payout_settled');
const completeThenReversed = cell(
  moveTwice({ to: 'COMPLETE', post: ['payout_settled'] }, { to: 'REVERSED', post: ['payout_reversed'] }),
);

/** The money is not here, so no attempt may exist. Only offramp decides deposit deadlines. */
const UNFUNDED: Row = {
  'attempt.started': clash,
  submitted: clash,
  unknown: clash,
  succeeded: duplicatePayment,
  not_paid_route_left: clash,
  not_paid_last: clash,
  deferred: clash,
  reversed: cameBack,
  mismatch: clash,
  overdue: cell(refuse),
  cancelled: cell(refuse),
};

const ACCEPTED: Row = {
  'attempt.started': cell(move('SUBMITTING')),
  submitted: clash,
  unknown: clash,
  succeeded: duplicatePayment,
  not_paid_route_left: clash,
  not_paid_last: clash,
  deferred: cell(move('QUEUED')),
  reversed: cameBack,
  mismatch: clash,
  overdue: cell(failed),
  cancelled: cell(failed),
};

const QUEUED: Row = {
  'attempt.started': choose(['duplicate_payment_posted', paidAlready], move('SUBMITTING')),
  submitted: clash,
  unknown: clash,
  succeeded: choose(['same_receipt', ignore()], paidAfterAll),
  not_paid_route_left: cell(ignore()),
  not_paid_last: clash,
  deferred: cell(ignore('new_due')),
  reversed: cameBack,
  mismatch: clash,
  overdue: cell(failed),
  cancelled: cell(failed),
};

const SUBMITTING: Row = {
  'attempt.started': cell(ignore()),
  submitted: cell(move('SUBMITTED')),
  unknown: cell(move('IN_DOUBT')),
  succeeded: cell(complete),
  not_paid_route_left: backToQueue,
  not_paid_last: cell(failed),
  deferred: choose(['proven_not_taken', move('QUEUED')], record()),
  reversed: completeThenReversed,
  mismatch: cell(move('REVIEW')),
  overdue: cell(refuse),
  cancelled: cell(refuse),
};

const SUBMITTED: Row = {
  'attempt.started': clash,
  submitted: cell(ignore()),
  unknown: cell(withEffects(move('IN_DOUBT'), 'alarm')),
  succeeded: cell(complete),
  not_paid_route_left: backToQueue,
  not_paid_last: cell(failed),
  deferred: choose(['proven_not_taken', withEffects(move('QUEUED'), 'alarm')], record()),
  reversed: completeThenReversed,
  mismatch: cell(move('REVIEW')),
  overdue: cell(refuse),
  cancelled: cell(refuse),
};

/** Unknown is not failed, however old. */
const IN_DOUBT: Row = {
  'attempt.started': clash,
  submitted: cell(move('SUBMITTED')),
  unknown: cell(ignore('stale_alerts')),
  succeeded: cell(complete),
  not_paid_route_left: backToQueue,
  not_paid_last: cell(failed),
  deferred: choose(['proven_not_taken', move('QUEUED')], record()),
  reversed: completeThenReversed,
  mismatch: cell(move('REVIEW')),
  overdue: cell(refuse),
  cancelled: cell(refuse),
};

/** Two people decide here, on evidence. Provider answers are only recorded. */
const REVIEW: Row = {
  'attempt.started': clash,
  submitted: cell(record()),
  unknown: cell(record()),
  succeeded: choose(['two_people', complete], record()),
  not_paid_route_left: choose(['two_people', move('QUEUED')], record()),
  not_paid_last: choose(['two_people', failed], record()),
  deferred: cell(record()),
  reversed: cell(record()),
  mismatch: cell(record()),
  overdue: choose(['no_attempt_sent', failed], refuse),
  cancelled: choose(['no_attempt_sent', failed], refuse),
};

const COMPLETE: Row = {
  'attempt.started': clash,
  submitted: cell(ignore()),
  unknown: cell(ignore()),
  succeeded: duplicatePayment,
  not_paid_route_left: cell(conflict([], ['requery'])),
  not_paid_last: cell(conflict([], ['requery'])),
  deferred: clash,
  reversed: choose(
    ['duplicate_payment_posted', record('duplicate_payment_returned')],
    move('REVERSED', 'payout_reversed'),
  ),
  mismatch: clash,
  overdue: cell(refuse),
  cancelled: cell(refuse),
};

const FAILED: Row = {
  'attempt.started': clash,
  submitted: choose(['payment_stands', ignore()], conflict([], ['poll_again'])),
  unknown: choose(['payment_stands', ignore()], conflict([], ['poll_again'])),
  succeeded: choose(
    ['same_receipt', ignore()],
    ['refund_ungranted', paidBeforeGrant],
    ['refund_granted', paidAndSentBack],
    conflict(['duplicate_payment']),
  ),
  not_paid_route_left: takenBackOfFailed,
  not_paid_last: takenBackOfFailed,
  deferred: cell(ignore()),
  reversed: choose(
    ['duplicate_payment_posted', record('duplicate_payment_returned')],
    ['payment_stands', move('FAILED', 'payout_reversed')],
    ignore(),
  ),
  mismatch: clash,
  overdue: cell(ignore()),
  cancelled: cell(ignore()),
};

const REVERSED: Row = {
  'attempt.started': clash,
  submitted: cell(ignore()),
  unknown: cell(ignore()),
  succeeded: duplicatePayment,
  not_paid_route_left: takenBack,
  not_paid_last: takenBack,
  deferred: cell(ignore()),
  reversed: choose(['duplicate_payment_posted', record('duplicate_payment_returned')], ignore()),
  mismatch: clash,
  overdue: cell(ignore()),
  cancelled: cell(ignore()),
};

/** money.md section 1. */
export const PAYOUT_TABLE = {
  AWAITING_FUNDS: UNFUNDED,
  CONFIRMING: UNFUNDED,
  ACCEPTED,
  QUEUED,
  SUBMITTING,
  SUBMITTED,
  IN_DOUBT,
  REVIEW,
  COMPLETE,
  FAILED,
  REVERSED,
} as const satisfies Record<TransactionState, Row>;

export type AttemptSpokenOf = Exclude<PayoutEventType, 'overdue' | 'cancelled'>;

/**
 * It was proven not paid, so only money matters, in any state. A completing event stops an unsent current
 * attempt.
 */
export const OLDER_ATTEMPT = {
  'attempt.started': clash,
  // It may still pay. A second payment of its value (the next attempt or a refund) can still be prevented.
  submitted: choose(
    ['not_ended', conflict([], ['poll_again'])],
    ['refund_ungranted', conflict([], ['poll_again'])],
    record(),
  ),
  unknown: choose(
    ['not_ended', conflict([], ['poll_again'])],
    ['refund_ungranted', conflict([], ['poll_again'])],
    record(),
  ),
  succeeded: choose(
    ['same_receipt', ignore()],
    ['nothing_under_way', paidAfterAll],
    ['refund_ungranted', paidBeforeGrant],
    ['refund_granted', paidAndSentBack],
    conflict(['duplicate_payment']),
  ),
  not_paid_route_left: choose(['duplicate_payment_posted', conflict([], ['requery'])], record()),
  not_paid_last: choose(['duplicate_payment_posted', conflict([], ['requery'])], record()),
  deferred: cell(record()),
  reversed: choose(['duplicate_payment_posted', record('duplicate_payment_returned')], record()),
  mismatch: clash,
} as const satisfies Record<AttemptSpokenOf, Cell>;
