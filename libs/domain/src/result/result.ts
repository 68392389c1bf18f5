import type { ErrorCode } from './errors.js';

/** One fault of a request. `pointer` is a JSON pointer (RFC 6901) into the request body, '' for the whole of it. */
export interface Fault {
  readonly detail: string;
  readonly pointer: string;
}

/** How often something may be done: `burst` at once, and `ratePerS` more each second. */
export interface Limit {
  /** As partners see it in `RateLimit-Policy`. */
  readonly name: string;
  readonly ratePerS: number;
  readonly burst: number;
}

/**
 * An expected failure, as a value: what a partner may be told. Thrown errors mean a bug or an outage.
 * `message` names the field, the rule and the value's shape, never the value of a secret.
 */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly faults?: readonly Fault[];
  /** The transaction a conflict is about, where there is one. */
  readonly transactionCode?: string;
  /** Whole seconds after which it is worth asking again; of rate_limited always. */
  readonly retryAfterS?: number;
  /** Of rate_limited: the limit that refused, where it is another than the gateway's own, which the gateway tells. */
  readonly limit?: Limit;
}

/** A success or an expected failure. */
export type Result<T, E = Problem> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function fail<E = Problem>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}
