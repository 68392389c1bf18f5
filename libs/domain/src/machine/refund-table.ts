import type { PostingName } from '../ledger/postings.js';

/**
 * HELD: must not be signed. GRANTED: may be signed; the payout's later outcome no longer ends it. SIGNED: may
 * be on the chain.
 */
export const REFUND_STATES = ['HELD', 'GRANTED', 'SIGNED', 'BROADCAST', 'CONFIRMED', 'FAILED'] as const;
export type RefundState = (typeof REFUND_STATES)[number];

/** Our own grant, and offramp's reports. */
export const REFUND_EVENT_TYPES = [
  'refund.granted',
  'refund.signed',
  'refund.broadcast',
  'refund.confirmed',
  'refund.failed',
] as const;
export type RefundEventType = (typeof REFUND_EVENT_TYPES)[number];

/** A failed pay, or unapplied value. */
export type RefundOrigin = 'refund_held' | 'unapplied_refund_held';

/** Read in the database transaction that writes the decision. */
export interface RefundSubject {
  readonly state: RefundState;
  readonly origin: RefundOrigin;
  /** Reversed in the ledger (P10). */
  readonly depositReverted: boolean;
  readonly failedByReversal: boolean;
  /** The event is older than a handled one. */
  readonly isOldUpdate: boolean;
  /** The event names another transfer than the stored one. */
  readonly isOtherTransfer: boolean;
  /** refund.failed because the deposit vanished. */
  readonly saysReverted: boolean;
}

export const REFUND_CONDITIONS = {
  old_update: 'older than what was told',
  other_transfer: 'another transfer',
  says_reverted: 'because the deposit vanished',
  deposit_reverted: 'the deposit was reverted',
  failed_by_reversal: 'it failed by the reversal',
  of_unapplied: 'of unapplied value',
} as const satisfies Record<string, string>;
type RefundCondition = keyof typeof REFUND_CONDITIONS;

/** `to` null: same state; the event may still be recorded. */
export interface RefundOutcome {
  readonly kind: 'move' | 'record' | 'ignore' | 'conflict';
  readonly to: RefundState | null;
  readonly post: readonly PostingName[];
}

export interface RefundCell {
  readonly choices: readonly { readonly when: RefundCondition; readonly then: RefundOutcome }[];
  readonly otherwise: RefundOutcome;
}

const ignore: RefundOutcome = { kind: 'ignore', to: null, post: [] };
const move = (to: RefundState, ...post: readonly PostingName[]): RefundOutcome => ({ kind: 'move', to, post });
const record: RefundOutcome = { kind: 'record', to: null, post: [] };
const conflict = (to: RefundState | null, ...post: readonly PostingName[]): RefundOutcome => ({
  kind: 'conflict',
  to,
  post,
});

type Choice = readonly [RefundCondition, RefundOutcome];
const choose = (...all: readonly [...Choice[], RefundOutcome]): RefundCell => ({
  choices: (all.slice(0, -1) as Choice[]).map(([when, then]) => ({ when, then })),
  otherwise: all.at(-1) as RefundOutcome,
});

const confirmed = choose(move('CONFIRMED', 'refund_settled'));
/**
 * If the deposit was reverted, the partner owes its value (deposit_vanished_paid). The wallet gets it at the
 * same rate, which cancels the debt.
 */
const failed = choose(
  ['deposit_reverted', move('FAILED', 'refund_failed_to_wallet')],
  ['says_reverted', move('FAILED', 'refunding_deposit_vanished')],
  ['of_unapplied', move('FAILED', 'refund_failed_to_unapplied')],
  move('FAILED', 'refund_failed_to_wallet'),
);
/** A newer transfer replaces one that can no longer be included. */
const sentAnew = choose(['old_update', ignore], ['other_transfer', record], ignore);
/** The reversal took the value, and then the chain sent it. Booked as if the reversal had come later. */
const sentAfterReversal = (to: RefundState, ...post: readonly PostingName[]): Choice => [
  'failed_by_reversal',
  conflict(to, 'refunding_deposit_restored', 'deposit_vanished_paid', ...post),
];

const granted = choose(ignore);

export const REFUND_TABLE = {
  // Signed without a grant breaks the rule, but it is a fact.
  HELD: {
    'refund.granted': choose(move('GRANTED')),
    'refund.signed': choose(conflict('SIGNED')),
    'refund.broadcast': choose(conflict('BROADCAST')),
    'refund.confirmed': choose(conflict('CONFIRMED', 'refund_settled')),
    'refund.failed': failed,
  },
  GRANTED: {
    'refund.granted': granted,
    'refund.signed': choose(move('SIGNED')),
    'refund.broadcast': choose(move('BROADCAST')),
    'refund.confirmed': confirmed,
    'refund.failed': failed,
  },
  SIGNED: {
    'refund.granted': granted,
    'refund.signed': sentAnew,
    'refund.broadcast': choose(['old_update', ignore], move('BROADCAST')),
    'refund.confirmed': confirmed,
    'refund.failed': failed,
  },
  BROADCAST: {
    'refund.granted': granted,
    'refund.signed': sentAnew,
    'refund.broadcast': sentAnew,
    'refund.confirmed': confirmed,
    'refund.failed': failed,
  },
  CONFIRMED: {
    'refund.granted': granted,
    'refund.signed': choose(ignore),
    'refund.broadcast': choose(ignore),
    'refund.confirmed': choose(['other_transfer', conflict(null)], ignore),
    'refund.failed': choose(['old_update', ignore], conflict(null)),
  },
  FAILED: {
    'refund.granted': granted,
    'refund.signed': choose(['old_update', ignore], sentAfterReversal('SIGNED'), conflict(null)),
    'refund.broadcast': choose(['old_update', ignore], sentAfterReversal('BROADCAST'), conflict(null)),
    // The value was both given back and sent.
    'refund.confirmed': choose(sentAfterReversal('CONFIRMED', 'refund_settled'), conflict(null, 'refund_settled_owed')),
    'refund.failed': choose(ignore),
  },
} as const satisfies Record<RefundState, Record<RefundEventType, RefundCell>>;

const ANSWERS: Readonly<Record<RefundCondition, (subject: RefundSubject) => boolean>> = {
  old_update: (subject) => subject.isOldUpdate,
  other_transfer: (subject) => subject.isOtherTransfer,
  says_reverted: (subject) => subject.saysReverted,
  deposit_reverted: (subject) => subject.depositReverted,
  failed_by_reversal: (subject) => subject.failedByReversal,
  of_unapplied: (subject) => subject.origin === 'unapplied_refund_held',
};

/** Choices are tried in order. */
export function decideRefund(subject: RefundSubject, event: RefundEventType): RefundOutcome {
  const cell: RefundCell = REFUND_TABLE[subject.state][event];
  return cell.choices.find(({ when }) => ANSWERS[when](subject))?.then ?? cell.otherwise;
}

export const PUBLIC_REFUND_STATUS = {
  HELD: 'PENDING',
  GRANTED: 'PENDING',
  SIGNED: 'PROCESSING',
  BROADCAST: 'PROCESSING',
  CONFIRMED: 'COMPLETE',
  FAILED: 'FAILED',
} as const satisfies Record<RefundState, string>;
