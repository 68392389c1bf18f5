import type { GivenUpWebhook } from '@vuka/notifier';

/** A webhook that was given up after its last try; its transaction's code is payments' to tell. */
export type GivenUpView = GivenUpWebhook & { readonly transaction_code: string };

export interface DeadLetterView {
  readonly event_id: string;
  readonly consumer_group: string;
  readonly topic: string;
  /** Of what it speaks: for events of transactions the transaction's id. */
  readonly key: string;
  readonly reason: string;
  readonly detail: string;
  readonly tries: number;
  readonly at: string;
  readonly replay_requested_at: string | null;
  readonly requested_by: string | null;
  readonly replayed_at: string | null;
}
