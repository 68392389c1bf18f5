import type { Recipient } from './recipient.js';

interface Of {
  readonly id: string;
  /** RFC 3339, by the provider's clock. */
  readonly at: string;
}

/** A new id. */
export type AcceptedLine = Of & {
  readonly event: 'accepted';
  readonly amount: string;
  readonly currency: string;
  readonly narration: string;
  /** Where the caller named one. */
  readonly order?: string;
  readonly recipient: Recipient;
};

/** What ended a payout, or came after its end. */
export type OutcomeLine = Of &
  (
    | { readonly event: 'paid'; readonly receipt: string; readonly name?: string }
    | { readonly event: 'failed'; readonly code: string }
    | { readonly event: 'reversed'; readonly receipt: string }
  ) & {
    /** Which acceptance of the id it belongs to, 0 unless told, and which of its steps it was, 0 unless told. */
    readonly run?: number;
    readonly step?: number;
    /** It was no step, but the control's doing. */
    readonly by?: 'control';
  };

/** One line of the journal: a fact, and when. */
export type JournalLine =
  | AcceptedLine
  /** An id taken again, where the provider does not dedupe. */
  | (Of & { readonly event: 'accepted_again' })
  | OutcomeLine
  /** Float for one order, by the control. */
  | { readonly event: 'topped_up'; readonly order: string; readonly at: string };
