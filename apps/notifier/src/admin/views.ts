/** One POST to a partner's receiver. */
export interface PostView {
  readonly attempt: number;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly status: number | null;
  /** The kind of trouble where there was no answer. */
  readonly error: string | null;
}

/** One webhook of a transaction, and how it went. */
export interface WebhookView {
  readonly webhook_id: string;
  readonly sequence: number;
  readonly event: string;
  /** pending; delivered; exhausted: given up; superseded: a newer one overtook it; ended: the receiver wants no more (410). */
  readonly state: string;
  /** Of the callback URL the host only: a path may hold a token. */
  readonly host: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly next_attempt_at: string | null;
  readonly settled_at: string | null;
  readonly posts: readonly PostView[];
}

/** A webhook that was given up after its last try, at `settled_at`. */
export interface GivenUpWebhook extends Omit<WebhookView, 'sequence' | 'posts'> {
  readonly transaction_id: number;
  readonly partner_id: number;
}
