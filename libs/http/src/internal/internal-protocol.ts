import { ADMIN_OPERATION } from '@vuka/contracts';
import { z } from 'zod';

import type { Answer } from './call-encoding.js';

/**
 * Internal HTTP: POST /internal/<operation> with JSON, these headers and `authorization: Bearer …`. The answer is the
 * Result, or `{ ok: false, failure }`.
 */
export const READY_PATH = '/health/ready';
/** Milliseconds left, not a time of day: clocks of two machines may differ. */
export const DEADLINE_HEADER = 'x-vuka-deadline-ms';
export const REQUEST_ID_HEADER = 'request-id';
export const TRACE_HEADER = 'traceparent';
const LONGEST_CALL_MS = 60_000;
/** The ledger check reads everything. */
const LONGEST_ADMIN_CALL_MS = 10 * 60_000;

/** Upper bound of any call. */
export function longestCallMs(operation: string): number {
  return operation === ADMIN_OPERATION ? LONGEST_ADMIN_CALL_MS : LONGEST_CALL_MS;
}

/** Why there is no Result. */
export const failureSchema = z.object({
  kind: z.enum([
    /** Nothing was done (overload or shutdown). It may be retried later or on another instance. */
    'not_started',
    /** Nothing was done and a retry would not help: wrong credential or unknown operation. */
    'refused',
    /** ServiceUnavailableError of the handler, or of a service it called. */
    'unavailable',
    /** DeadlineExceededError. */
    'deadline',
    /** ContractError. */
    'contract',
  ]),
  /** The service where it failed: the one called, or one further on. */
  service: z.string(),
  /** Set for a deadline: the late operation. */
  operation: z.string().optional(),
  message: z.string(),
});
export type CallFailure = z.infer<typeof failureSchema>;

const replySchema = z.union([
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({ ok: z.literal(false), error: z.unknown() }).refine(({ error }) => error !== undefined),
  z.object({ ok: z.literal(false), failure: failureSchema }),
]);

export type Reply =
  { readonly kind: 'answer'; readonly answer: Answer } | { readonly kind: 'failure'; readonly failure: CallFailure };

/** null if the text is not an answer of our services (for example from a proxy). */
export function readReply(text: string): Reply | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  const reply = replySchema.safeParse(body);
  if (!reply.success) return null;
  return 'failure' in reply.data
    ? { kind: 'failure', failure: reply.data.failure }
    : { kind: 'answer', answer: reply.data as Answer };
}
