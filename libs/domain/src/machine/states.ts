/** decisions.md section 4. It never goes back. */
export type PublicStatus = 'PENDING' | 'PROCESSING' | 'COMPLETE' | 'FAILED' | 'REVERSED';

/** With its public status (money.md section 1). */
export const TRANSACTION_STATES = {
  ACCEPTED: 'PENDING',
  AWAITING_FUNDS: 'PENDING',
  CONFIRMING: 'PROCESSING',
  QUEUED: 'PROCESSING',
  SUBMITTING: 'PROCESSING',
  SUBMITTED: 'PROCESSING',
  IN_DOUBT: 'PROCESSING',
  REVIEW: 'PROCESSING',
  COMPLETE: 'COMPLETE',
  FAILED: 'FAILED',
  REVERSED: 'REVERSED',
} as const satisfies Record<string, PublicStatus>;

export type TransactionState = keyof typeof TRANSACTION_STATES;

/** Decides the first state. */
export type FundedBy = 'wallet' | 'deposit';

export const INITIAL_STATE = { wallet: 'ACCEPTED', deposit: 'AWAITING_FUNDS' } as const satisfies Record<
  FundedBy,
  TransactionState
>;

/** decisions.md section 4. */
export const PUBLIC_STATUS_FOLLOWERS = {
  PENDING: ['PROCESSING', 'COMPLETE', 'FAILED'],
  PROCESSING: ['COMPLETE', 'FAILED'],
  COMPLETE: ['REVERSED'],
  FAILED: [],
  REVERSED: [],
} as const satisfies Record<PublicStatus, readonly PublicStatus[]>;

const TERMINAL: ReadonlySet<TransactionState> = new Set(['COMPLETE', 'FAILED', 'REVERSED'] as const);

export function publicStatusOf(state: TransactionState): PublicStatus {
  return TRANSACTION_STATES[state];
}

export function statesOf(status: PublicStatus): readonly TransactionState[] {
  return (Object.keys(TRANSACTION_STATES) as TransactionState[]).filter(
    (state) => TRANSACTION_STATES[state] === status,
  );
}

/** Nothing is held any more. COMPLETE may still become REVERSED. */
export function isTerminal(state: TransactionState): boolean {
  return TERMINAL.has(state);
}

/** Calls to one provider under one id of ours. */
export const ATTEMPT_STATES = ['INTENT', 'SENDING', 'PENDING', 'UNKNOWN', 'PAID', 'NOT_PAID'] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];

/** A later, different answer of the provider is an incident. */
export function isFinalAttempt(state: AttemptState): boolean {
  return state === 'PAID' || state === 'NOT_PAID';
}
