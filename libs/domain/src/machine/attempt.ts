import type { AttemptState } from './states.js';

/** `sending`: about to call the rail, committed before the call. `stopped`: given up unsent. The rest is the rail's. */
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
 * move: to another state. record: stays, noted. conflict: against what was proven before; `to` where the truth about
 * the attempt has changed all the same. repeat: the same id may be sent again. refuse: must not be done.
 */
export type AttemptDecision =
  | { readonly kind: 'move'; readonly to: AttemptState }
  | { readonly kind: 'ignore' }
  | { readonly kind: 'record' }
  | { readonly kind: 'repeat' }
  | { readonly kind: 'conflict'; readonly to: AttemptState | null }
  | { readonly kind: 'refuse' };

/** A cell; `ifDedupes` answers instead on a rail that knows an id it has seen (a declared capability). */
export interface AttemptCell {
  readonly then: AttemptDecision;
  readonly ifDedupes?: AttemptDecision;
}

type Row = Readonly<Record<AttemptEventType, AttemptCell>>;

const to = (state: AttemptState): AttemptCell => ({ then: { kind: 'move', to: state } });
const ignore: AttemptCell = { then: { kind: 'ignore' } };
const record: AttemptCell = { then: { kind: 'record' } };
const refuse: AttemptCell = { then: { kind: 'refuse' } };
const clash: AttemptCell = { then: { kind: 'conflict', to: null } };
const paidAfterAll: AttemptCell = { then: { kind: 'conflict', to: 'PAID' } };
/** A call is repeated only with the same id and only on a rail that dedupes. */
const repeatIfDedupes: AttemptCell = { then: { kind: 'refuse' }, ifDedupes: { kind: 'repeat' } };

/** Attempt state × event. `reversed` of a PAID one changes the transaction, not what the attempt did. */
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
    sending: repeatIfDedupes,
    submitted: to('PENDING'),
    unknown: to('UNKNOWN'),
    succeeded: to('PAID'),
    not_paid_route_left: to('NOT_PAID'),
    not_paid_last: to('NOT_PAID'),
    deferred: to('NOT_PAID'),
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
    deferred: to('NOT_PAID'),
    reversed: to('PAID'),
    mismatch: to('UNKNOWN'),
    stopped: refuse,
  },
  UNKNOWN: {
    sending: repeatIfDedupes,
    submitted: to('PENDING'),
    unknown: ignore,
    succeeded: to('PAID'),
    not_paid_route_left: to('NOT_PAID'),
    not_paid_last: to('NOT_PAID'),
    deferred: to('NOT_PAID'),
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

/** What an event does to an attempt. A new attempt may start only once this one is NOT_PAID. */
export function decideAttempt(
  state: AttemptState,
  event: AttemptEventType,
  rail: { readonly dedupesById: boolean } = { dedupesById: false },
): AttemptDecision {
  const cell: AttemptCell = ATTEMPT_TABLE[state][event];
  return rail.dedupesById && cell.ifDedupes !== undefined ? cell.ifDedupes : cell.then;
}
