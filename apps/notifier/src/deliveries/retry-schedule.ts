/** When a failed delivery is tried again: decisions.md section 6. After the last one it rests in the log. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5_000, // 5 s
  30_000, // 30 s
  120_000, // 2 min
  600_000, // 10 min
  3_600_000, // 1 h
  10_800_000, // 3 h
  21_600_000, // 6 h
  43_200_000, // 12 h
  86_400_000, // 24 h
];

/** Of what is sent once, because somebody waits to see what comes of it. */
const NO_RETRIES: Readonly<Record<string, readonly number[]>> = { 'webhook.test': [] };

export function retryDelaysOf(eventType: string): readonly number[] {
  return NO_RETRIES[eventType] ?? RETRY_DELAYS_MS;
}

/** A delay is lengthened by up to this share of itself, so that receivers coming back are not met by all at once. */
export const RETRY_JITTER = 0.1;

/** A receiver's `Retry-After` can put a retry off, but no further than the schedule's own longest step. */
export const RETRY_AFTER_MAX_MS = 86_400_000;

/** What came of one POST: an answer, or the class of what went wrong before there was one. */
export type AttemptOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | null }
  | { readonly kind: 'failed'; readonly error: DeliveryError };

/** The closed list of ways a POST fails without an answer. Never the error's own text: it may carry the URL. */
export const DELIVERY_ERRORS = [
  'timeout',
  'dns',
  'unreachable',
  'connection_lost',
  'tls',
  'bad_response',
  'blocked_address',
  'internal',
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** Whether the host was there and answered, whatever it said. `internal` says nothing of it: that is ours. */
export function wasReached(outcome: AttemptOutcome): boolean | null {
  if (outcome.kind === 'answered') return true;
  return outcome.error === 'internal' ? null : false;
}

/**
 * Where an attempt leaves its delivery. `ended`: 410, this transaction's receiver wants nothing more.
 * `exhausted`: the schedule is through and the delivery rests in the log until somebody resends it.
 */
export type DeliveryVerdict =
  { readonly state: 'delivered' | 'ended' | 'exhausted' } | { readonly state: 'pending'; readonly nextAttemptAt: Date };

/**
 * Judges one attempt. `attempt` counts from 1; `now` is when its outcome was known; `random` is in [0, 1).
 * Only 2xx succeeds: a redirect is a failure and is not followed.
 */
export function judgeAttempt(
  outcome: AttemptOutcome,
  attempt: number,
  now: Date,
  random: number,
  delays = RETRY_DELAYS_MS,
): DeliveryVerdict {
  const status = outcome.kind === 'answered' ? outcome.status : null;
  if (status !== null && status >= 200 && status < 300) return { state: 'delivered' };
  if (status === 410) return { state: 'ended' };
  const delay = delays[attempt - 1];
  if (delay === undefined) return { state: 'exhausted' };
  const scheduled = Math.ceil(delay * (1 + RETRY_JITTER * random));
  const asked = outcome.kind === 'answered' ? retryAfterMs(outcome.retryAfter, now) : 0;
  return { state: 'pending', nextAttemptAt: new Date(now.getTime() + Math.max(scheduled, asked)) };
}

/** `Retry-After` in whole seconds or as an HTTP date (RFC 9110, 10.2.3); what is neither asks for nothing. */
function retryAfterMs(header: string | null, now: Date): number {
  if (header === null) return 0;
  const text = header.trim();
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : httpDateMs(text) - now.getTime();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS) : 0;
}

/** The preferred HTTP date form only: Date.parse alone takes "5" or "1.5" for a year long past or to come. */
function httpDateMs(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
