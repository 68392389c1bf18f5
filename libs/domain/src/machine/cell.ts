import type { PostingName } from '../ledger/postings.js';
import type { TransactionState } from './states.js';

/** What the writer must do besides state and ledger. */
export const EFFECTS = {
  open_incident: 'incident',
  alarm: 'alarm',
  stale_alerts: 'page by age',
  poll_again: 'poll again',
  requery: 're-query',
  new_due: 'new due',
  look_again: 'look until the deadline',
  release_claim: 'release the claim',
  freeze_partner: 'freeze',
  collect_receivable: 'then receivable_collected',
} as const satisfies Record<string, string>;
export type Effect = keyof typeof EFFECTS;

/** `payout_released/refund_held` is resolved by funding, refund address and the partner's debt. */
export type CellPosting = PostingName | 'payout_released/refund_held';

export interface CellStep {
  readonly to: TransactionState;
  readonly post: readonly CellPosting[];
}

export type Outcome =
  | { readonly kind: 'move'; readonly steps: readonly CellStep[]; readonly effects: readonly Effect[] }
  | { readonly kind: 'ignore'; readonly effects: readonly Effect[] }
  | { readonly kind: 'record'; readonly post: readonly CellPosting[]; readonly effects: readonly Effect[] }
  | { readonly kind: 'conflict'; readonly post: readonly CellPosting[]; readonly effects: readonly Effect[] }
  | { readonly kind: 'refuse' };

/** Answered in decide.ts. */
export const CONDITIONS = {
  same_receipt: 'same receipt',
  two_people: 'with evidence and two people',
  proven_not_taken: 'proven not taken',
  our_fault: 'our fault',
  no_attempt_sent: 'no attempt was sent',
  duplicate_payment_posted: 'duplicate_payment is posted',
  nothing_under_way: 'nothing else is under way',
  not_ended: 'it has not ended',
  attempt_unsent: 'its attempt is unsent',
  ours_stands: 'a payment stands as ours',
  same_deposit: 'same deposit',
  releases_claim: 'not found or not final',
  screening_hit: 'screening hit',
  already_reverted: 'already reverted',
  value_unapplied: 'the value is unapplied',
  value_in_wallet: 'the value is in the wallet',
  value_refunding: 'the value is being refunded',
  value_refunded: 'the value was refunded',
  refund_ungranted: 'its refund is not granted',
  refund_granted: 'its refund was granted',
  payment_stands: 'a payment stands',
} as const satisfies Record<string, string>;
export type Condition = keyof typeof CONDITIONS;

/** Tried in order; `otherwise` has no condition, so every cell answers. */
export interface Cell {
  readonly choices: readonly { readonly when: Condition; readonly then: Outcome }[];
  readonly otherwise: Outcome;
}

export const move = (to: TransactionState, ...post: readonly CellPosting[]): Outcome & { kind: 'move' } => ({
  kind: 'move',
  steps: [{ to, post }],
  effects: [],
});

/** Two steps in one commit: two sequence numbers, two webhooks. */
export const moveTwice = (first: CellStep, second: CellStep): Outcome => ({
  kind: 'move',
  steps: [first, second],
  effects: [],
});

export const ignore = (...effects: readonly Effect[]): Outcome => ({ kind: 'ignore', effects });

export const record = (...post: readonly CellPosting[]): Outcome => ({ kind: 'record', post, effects: [] });

/** Keeps the state, always opens an incident, and posts the money that moved. */
export const conflict = (post: readonly CellPosting[] = [], effects: readonly Effect[] = []): Outcome => ({
  kind: 'conflict',
  post,
  effects: ['open_incident', ...effects],
});

export const refuse: Outcome = { kind: 'refuse' };

export const withEffects = (outcome: Outcome & { kind: 'move' }, ...effects: readonly Effect[]): Outcome => ({
  ...outcome,
  effects,
});

export const cell = (otherwise: Outcome): Cell => ({ choices: [], otherwise });

export const choose = (...choices: readonly [...(readonly [Condition, Outcome])[], Outcome]): Cell => {
  const otherwise = choices.at(-1) as Outcome;
  return {
    choices: (choices.slice(0, -1) as (readonly [Condition, Outcome])[]).map(([when, then]) => ({ when, then })),
    otherwise,
  };
};
