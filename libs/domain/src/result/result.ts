import type { ErrorCode } from './errors.js';

/** `pointer`: JSON pointer (RFC 6901) into the body, '' for all of it. */
export interface Fault {
  readonly detail: string;
  readonly pointer: string;
}

export interface Limit {
  /** In `RateLimit-Policy`. */
  readonly name: string;
  readonly ratePerS: number;
  readonly burst: number;
}

/**
 * An expected failure, safe for partners; thrown errors are bugs or outages. `message` has field, rule and
 * shape, never a secret value.
 */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly faults?: readonly Fault[];
  readonly transactionCode?: string;
  /** When to retry, whole seconds; always set for rate_limited. */
  readonly retryAfterS?: number;
  /** For rate_limited: set if the limit is not the gateway's own. */
  readonly limit?: Limit;
}

export type Result<T, E = Problem> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function fail<E = Problem>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}
