import { cell, choose, conflict, ignore, move, record, refuse, withEffects, type Cell } from './cell.js';
import type { DepositEventType } from './events.js';
import type { TransactionState } from './states.js';

type Row = Readonly<Record<DepositEventType, Cell>>;

const clash = cell(conflict());
/** Value that contradicts an earlier verdict is still posted. */
const clashWithValue = choose(['same_deposit', conflict()], conflict(['deposit_unapplied']));
const verified = choose(
  ['screening_hit', move('REVIEW', 'deposit_received', 'pay_funded', 'shortfall_covered')],
  move('QUEUED', 'deposit_received', 'pay_funded', 'shortfall_covered'),
);
const unusable = choose(['releases_claim', withEffects(move('FAILED'), 'release_claim')], move('FAILED'));
const unapplied = cell(move('FAILED', 'deposit_unapplied'));
const revertedUnpaid = move('FAILED', 'deposit_vanished_unpaid');
const revertedPaid = conflict(['deposit_vanished_paid'], ['freeze_partner', 'collect_receivable']);
/**
 * Value that does not fund the payout is taken from where it is, in every state, and only once. The payout's
 * own deposit is not affected.
 */
const notBehindPayout = [
  ['already_reverted', ignore()],
  ['value_unapplied', record('unapplied_deposit_vanished')],
  ['value_refunding', record('refunding_deposit_vanished')],
  ['value_in_wallet', revertedPaid],
  ['value_refunded', revertedPaid],
] as const;
const notInReview = { 'screening.cleared': cell(refuse) };

/** Also for every state of a wallet-funded transaction. */
const ACCEPTED: Row = {
  'deposit.seen': clash,
  'deposit.verified': clashWithValue,
  'deposit.unusable': clash,
  'deposit.unapplied': clashWithValue,
  'deposit.reverted': clash,
  ...notInReview,
};

const AWAITING_FUNDS: Row = {
  'deposit.seen': cell(move('CONFIRMING')),
  'deposit.verified': verified,
  'deposit.unusable': unusable,
  'deposit.unapplied': unapplied,
  'deposit.reverted': cell(ignore()),
  ...notInReview,
};

const CONFIRMING: Row = {
  'deposit.seen': cell(ignore()),
  'deposit.verified': verified,
  'deposit.unusable': unusable,
  'deposit.unapplied': unapplied,
  'deposit.reverted': cell(ignore('look_again')),
  ...notInReview,
};

const QUEUED: Row = {
  'deposit.seen': cell(ignore()),
  'deposit.verified': cell(ignore()),
  'deposit.unusable': clash,
  'deposit.unapplied': clashWithValue,
  // A given-up attempt paid: that payment completes the transaction when it is due.
  'deposit.reverted': choose(...notBehindPayout, ['ours_stands', revertedPaid], revertedUnpaid),
  ...notInReview,
};

/** The money may be gone, so the partner owes the vanished deposit. */
const PAID_OR_OPEN: Row = {
  'deposit.seen': cell(ignore()),
  'deposit.verified': cell(ignore()),
  'deposit.unusable': clash,
  'deposit.unapplied': clashWithValue,
  'deposit.reverted': choose(...notBehindPayout, revertedPaid),
  ...notInReview,
};

/** An unsent attempt is given up in the same commit. */
const SUBMITTING: Row = {
  ...PAID_OR_OPEN,
  'deposit.reverted': choose(
    ...notBehindPayout,
    ['ours_stands', revertedPaid],
    ['attempt_unsent', revertedUnpaid],
    revertedPaid,
  ),
};

const REVIEW: Row = {
  ...PAID_OR_OPEN,
  'deposit.reverted': choose(...notBehindPayout, ['no_attempt_sent', revertedUnpaid], revertedPaid),
  'screening.cleared': choose(['no_attempt_sent', move('QUEUED')], refuse),
};

const FAILED: Row = {
  'deposit.seen': cell(ignore()),
  'deposit.verified': choose(['same_deposit', ignore()], conflict(['deposit_unapplied'])),
  'deposit.unusable': cell(ignore()),
  'deposit.unapplied': choose(['same_deposit', ignore()], record('deposit_unapplied')),
  'deposit.reverted': choose(...notBehindPayout, ['payment_stands', revertedPaid], ignore()),
  ...notInReview,
};

/** money.md section 2. */
export const DEPOSIT_TABLE = {
  ACCEPTED,
  AWAITING_FUNDS,
  CONFIRMING,
  QUEUED,
  SUBMITTING,
  SUBMITTED: PAID_OR_OPEN,
  IN_DOUBT: PAID_OR_OPEN,
  REVIEW,
  COMPLETE: PAID_OR_OPEN,
  FAILED,
  REVERSED: PAID_OR_OPEN,
} as const satisfies Record<TransactionState, Row>;
