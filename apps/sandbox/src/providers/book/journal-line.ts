import type { Recipient } from './recipient.js';

interface Of {
  readonly id: string;
  /** RFC 3339, provider's clock. */
  readonly at: string;
}

export type AcceptedLine = Of & {
  readonly event: 'accepted';
  readonly amount: string;
  readonly currency: string;
  readonly narration: string;
  readonly order?: string;
  readonly recipient: Recipient;
};

export type OutcomeLine = Of &
  (
    | { readonly event: 'paid'; readonly receipt: string; readonly name?: string }
    | { readonly event: 'failed'; readonly code: string }
    | { readonly event: 'reversed'; readonly receipt: string }
  ) & {
    /** Which acceptance of the id, and which step; default 0. */
    readonly run?: number;
    readonly step?: number;
    /** By the control API instead of a step. */
    readonly by?: 'control';
  };

export type JournalLine =
  | AcceptedLine
  /** Accepted again by a provider that does not dedupe. */
  | (Of & { readonly event: 'accepted_again' })
  | OutcomeLine
  /** Float for one order. */
  | { readonly event: 'topped_up'; readonly order: string; readonly at: string };
