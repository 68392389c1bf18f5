export interface PostView {
  readonly attempt: number;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly status: number | null;
  /** Kind of failure if there was no answer. */
  readonly error: string | null;
}

export interface WebhookView {
  readonly webhook_id: string;
  readonly sequence: number;
  readonly event: string;
  /** pending; delivered; exhausted: given up; superseded: by a newer one; ended: 410. */
  readonly state: string;
  /** Only the host: a path may contain a token. */
  readonly host: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly next_attempt_at: string | null;
  readonly settled_at: string | null;
  readonly posts: readonly PostView[];
}

/** At `settled_at`. */
export interface GivenUpWebhook extends Omit<WebhookView, 'sequence' | 'posts'> {
  readonly transaction_id: number;
  readonly partner_id: number;
}
