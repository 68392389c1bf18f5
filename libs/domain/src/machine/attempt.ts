import type { AttemptState } from './states.js';

/** `sending`: committed before the provider call. `stopped`: given up unsent. */
export const ATTEMPT_EVENT_TYPES = [
  'sending',
  'submitted',
  'unknown',
  'succeeded',
  'not_paid_route_left',
  'not_paid_last',
  'deferred',
  'reversed',
  'mismatch',
  'stopped',
] as const;
export type AttemptEventType = (typeof ATTEMPT_EVENT_TYPES)[number];

/**
 * conflict: contradicts what was proven; `to` is set if the state changes anyway. repeat: the same id may be
 * sent again.
 */
export type AttemptDecision =
  | { readonly kind: 'move'; readonly to: AttemptState }
  | { readonly kind: 'ignore' }
  | { readonly kind: 'record' }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'conflict'; readonly to: AttemptState | null }
  | { readonly kind: 'refuse' };

/** Absent = no. */
export interface AttemptFacts {
  /** The provider never acknowledged the id, and its deduplication lasts longer than a call takes. */
  readonly mayRepeat?: boolean;
  /** The only call was refused, which proves that nothing was taken. */
  readonly provenNotTaken?: boolean;
}

/** The `if…` answers replace `then` if the fact holds. */
export interface AttemptCell {
  readonly then: AttemptDecision;
  readonly ifMayRepeat?: AttemptDecision;
  readonly ifNotTaken?: AttemptDecision;
}

type Row = Readonly<Record<AttemptEventType, AttemptCell>>;

const to = (state: AttemptState): AttemptCell => ({ then: { kind: 'move', to: state } });
const ignore: AttemptCell = { then: { kind: 'ignore' } };
const record: AttemptCell = { then: { kind: 'record' } };
const refuse: AttemptCell = { then: { kind: 'refuse' } };
const clash: AttemptCell = { then: { kind: 'conflict', to: null } };
const paidAfterAll: AttemptCell = { then: { kind: 'conflict', to: 'PAID' } };
/** Only with the same id, and never after the provider acknowledged it. */
const repeat: AttemptCell = { then: { kind: 'refuse' }, ifMayRepeat: { kind: 'repeat' } };
/** `deferred` from a query says nothing about the submit. */
const putOff: AttemptCell = { then: { kind: 'record' }, ifNotTaken: { kind: 'move', to: 'NOT_PAID' } };

/** `reversed` of a PAID attempt changes the transaction, not the attempt. */
export const ATTEMPT_TABLE = {
  INTENT: {
    sending: to('SENDING'),
    submitted: clash,
    unknown: clash,
    succeeded: paidAfterAll,
    not_paid_route_left: to('NOT_PAID'),
    not_paid_last: to('NOT_PAID'),
    deferred: to('NOT_PAID'),
    reversed: clash,
    mismatch: clash,
    stopped: to('NOT_PAID'),
  },
  SENDING: {
    sending: repeat,
    submitted: to('PENDING'),
    unknown: to('UNKNOWN'),
    succeeded: to('PAID'),
    not_paid_route_left: to('NOT_PAID'),
    not_paid_last: to('NOT_PAID'),
    deferred: putOff,
    reversed: to('PAID'),
    mismatch: to('UNKNOWN'),
    stopped: refuse,
  },
  PENDING: {
    sending: refuse,
    submitted: ignore,
    unknown: to('UNKNOWN'),
    succeeded: to('PAID'),
    not_paid_route_left: to('NOT_PAID'),
    not_paid_last: to('NOT_PAID'),
    deferred: putOff,
    reversed: to('PAID'),
    mismatch: to('UNKNOWN'),
    stopped: refuse,
  },
  UNKNOWN: {
    sending: repeat,
    submitted: to('PENDING'),
    unknown: ignore,
    succeeded: to('PAID'),
    not_paid_route_left: to('NOT_PAID'),
    not_paid_last: to('NOT_PAID'),
    deferred: putOff,
    reversed: to('PAID'),
    mismatch: record,
    stopped: refuse,
  },
  PAID: {
    sending: refuse,
    submitted: ignore,
    unknown: ignore,
    succeeded: ignore,
    not_paid_route_left: clash,
    not_paid_last: clash,
    deferred: clash,
    reversed: record,
    mismatch: clash,
    stopped: refuse,
  },
  NOT_PAID: {
    sending: refuse,
    submitted: clash,
    unknown: clash,
    succeeded: paidAfterAll,
    not_paid_route_left: ignore,
    not_paid_last: ignore,
    deferred: ignore,
    reversed: ignore,
    mismatch: clash,
    stopped: ignore,
  },
} as const satisfies Record<AttemptState, Row>;

/** A new attempt may start only when this one is NOT_PAID. */
export function decideAttempt(state: AttemptState, event: AttemptEventType, facts: AttemptFacts = {}): AttemptDecision {
  const cell: AttemptCell = ATTEMPT_TABLE[state][event];
  if (facts.mayRepeat === true && cell.ifMayRepeat !== undefined) return cell.ifMayRepeat;
  return facts.provenNotTaken === true && cell.ifNotTaken !== undefined ? cell.ifNotTaken : cell.then;
}
