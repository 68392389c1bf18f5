import type { Limit, Problem } from '@vuka/domain';
import type { FastifyReply } from 'fastify';

import { type Counted, POLICY_NAMES } from '../limits/index.js';

const COUNTS: Readonly<Record<string, string>> = {
  [POLICY_NAMES.partner]: 'Too many requests: a partner may send, all keys together,',
  [POLICY_NAMES.lookups]: 'Too many name lookups: a partner may send, all keys together,',
  [POLICY_NAMES.failedAuth]: 'Too many requests without a valid API key: one address may send',
};

export const LIMIT_HEADERS = ['ratelimit-policy', 'ratelimit'] as const;

/**
 * draft-ietf-httpapi-ratelimit-headers. `q`: burst; `w`: seconds to fill an empty bucket; `r`: left; `t`: seconds
 * until full, or for a refusal until the next request passes.
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

/** Sets the headers on any answer; a refusal by another limit replaces them (`sendProblem`). null: may go on. */
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
