/** Delays after failures (decisions.md section 6). */
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

/** Sent once: somebody waits for the result. */
const NO_RETRIES: Readonly<Record<string, readonly number[]>> = { 'webhook.test': [] };

export function retryDelaysOf(eventType: string): readonly number[] {
  return NO_RETRIES[eventType] ?? RETRY_DELAYS_MS;
}

/** Lengthens delays by up to this share, to spare returning receivers. */
export const RETRY_JITTER = 0.1;

/** Limit of `Retry-After`: the longest delay. */
export const RETRY_AFTER_MAX_MS = 86_400_000;

export type AttemptOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | null }
  | { readonly kind: 'failed'; readonly error: DeliveryError };

/** Never the error's text: it may contain the URL. */
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

/** Any answer counts. null: our fault. */
export function wasReached(outcome: AttemptOutcome): boolean | null {
  if (outcome.kind === 'answered') return true;
  return outcome.error === 'internal' ? null : false;
}

/** `ended`: 410. `exhausted`: no retries left; stays in the log until resent. */
export type DeliveryVerdict =
  { readonly state: 'delivered' | 'ended' | 'exhausted' } | { readonly state: 'pending'; readonly nextAttemptAt: Date };

/** `attempt` counts from 1. `random` is in [0, 1). Only 2xx succeeds; redirects are not followed. */
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

/** Seconds or HTTP date (RFC 9110, 10.2.3); else 0. */
function retryAfterMs(header: string | null, now: Date): number {
  if (header === null) return 0;
  const text = header.trim();
  const ms = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : httpDateMs(text) - now.getTime();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS) : 0;
}

/** Date.parse alone would accept "5" or "1.5". */
function httpDateMs(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
