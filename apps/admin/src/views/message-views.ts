import type { GivenUpWebhook } from '@vuka/notifier';

/** Given up after the last try. */
export type GivenUpView = GivenUpWebhook & { readonly transaction_code: string };

export interface DeadLetterView {
  readonly event_id: string;
  readonly consumer_group: string;
  readonly topic: string;
  /** For transaction events: the transaction's id. */
  readonly key: string;
  readonly reason: string;
  readonly detail: string;
  readonly tries: number;
  readonly at: string;
  readonly replay_requested_at: string | null;
  readonly requested_by: string | null;
  readonly replayed_at: string | null;
}
