import type { FastifyReply } from 'fastify';

import { POLICY_NAMES, type Counted } from '../rate-limits.js';
import type { HttpProblem } from './answer.js';

/** What each limit counts, as the message of a 429 says it. */
const COUNTS: Readonly<Record<string, string>> = {
  [POLICY_NAMES.partner]: 'Too many requests: a partner may send, all keys together,',
  [POLICY_NAMES.lookups]: 'Too many name lookups: a partner may send, all keys together,',
  [POLICY_NAMES.failedAuth]: 'Too many requests without a valid API key: one address may send',
};

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers) of a request that was counted, on whatever
 * answer it gets: `q` the burst, `w` the seconds in which an empty bucket is full, `r` what is left, `t` the seconds until
 * it is full again, of a refused one until the next is let through.
 * The problem where it is one too many, null where it may go on.
 */
export function tellLimit(reply: FastifyReply, counted: Counted | null): HttpProblem | null {
  if (counted === null) return null;
  const { policy, taken } = counted;
  const { name, burst, ratePerS } = policy;
  void reply.header('ratelimit-policy', `"${name}";q=${String(burst)};w=${String(Math.ceil(burst / ratePerS))}`);
  void reply.header('ratelimit', `"${name}";r=${String(taken.remaining)};t=${String(taken.allowed ? taken.resetS : taken.retryAfterS)}`);
  if (taken.allowed) return null;
  return {
    code: 'rate_limited',
    message:
      `${COUNTS[name] ?? 'Too many requests:'} ${String(ratePerS)} a second, and up to ${String(burst)} at once. ` +
      `Nothing was done. Send it again in ${String(taken.retryAfterS)} s`,
    retryAfterS: taken.retryAfterS,
  };
}
