import type { Limit, Problem } from '@vuka/domain';
import type { FastifyReply } from 'fastify';

import { type Counted, POLICY_NAMES } from '../limits/index.js';

/** What each limit counts, as the message of a 429 says it. */
const COUNTS: Readonly<Record<string, string>> = {
  [POLICY_NAMES.partner]: 'Too many requests: a partner may send, all keys together,',
  [POLICY_NAMES.lookups]: 'Too many name lookups: a partner may send, all keys together,',
  [POLICY_NAMES.failedAuth]: 'Too many requests without a valid API key: one address may send',
};

/** What `limitHeaders` sets. */
export const LIMIT_HEADERS = ['ratelimit-policy', 'ratelimit'] as const;

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers): `q` the burst, `w` the seconds in which an
 * empty bucket is full, `r` what is left, `t` the seconds until it is full again, of a refused one until the next is let
 * through.
 */
export function limitHeaders(
  { name, ratePerS, burst }: Limit,
  remaining: number,
  seconds: number,
): Readonly<Record<string, string>> {
  return {
    'ratelimit-policy': `"${name}";q=${String(burst)};w=${String(Math.ceil(burst / ratePerS))}`,
    ratelimit: `"${name}";r=${String(remaining)};t=${String(seconds)}`,
  };
}

/**
 * Tells the limit of a request that was counted, on whatever answer it gets; one that a limit of another service refuses
 * tells that one instead (`sendProblem`). The problem where it is one too many, null where it may go on.
 */
export function tellLimit(reply: FastifyReply, counted: Counted | null): Problem | null {
  if (counted === null) return null;
  const { policy, taken } = counted;
  void reply.headers(limitHeaders(policy, taken.remaining, taken.allowed ? taken.resetS : taken.retryAfterS));
  if (taken.allowed) return null;
  return {
    code: 'rate_limited',
    message:
      `${COUNTS[policy.name] ?? 'Too many requests:'} ${String(policy.ratePerS)} a second, and up to ${String(policy.burst)} at once. ` +
      `Nothing was done. Send it again in ${String(taken.retryAfterS)} s`,
    retryAfterS: taken.retryAfterS,
  };
}
