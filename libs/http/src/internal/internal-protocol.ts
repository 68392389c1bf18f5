import { ADMIN_OPERATION } from '@vuka/contracts';
import { z } from 'zod';

import type { Answer } from './call-encoding.js';

/**
 * POST /internal/<operation> with JSON, these headers and `authorization: Bearer …`. Answers the Result, or `{ ok:
 * false, failure }`.
 */
export const READY_PATH = '/health/ready';
/** Milliseconds left: clocks of two machines may differ. */
export const DEADLINE_HEADER = 'x-vuka-deadline-ms';
export const REQUEST_ID_HEADER = 'request-id';
export const TRACE_HEADER = 'traceparent';
const LONGEST_CALL_MS = 60_000;
/** The ledger check reads everything. */
const LONGEST_ADMIN_CALL_MS = 10 * 60_000;

export function longestCallMs(operation: string): number {
  return operation === ADMIN_OPERATION ? LONGEST_ADMIN_CALL_MS : LONGEST_CALL_MS;
}

export const failureSchema = z.object({
  kind: z.enum([
    /** Nothing was done (overload or shutdown); may be retried. */
    'not_started',
    /** Nothing was done; a retry would not help. */
    'refused',
    'unavailable',
    'deadline',
    'contract',
  ]),
  /** Where it failed: the service called, or one further on. */
  service: z.string(),
  operation: z.string().optional(),
  /** Of a refusal. */
  code: z.string().optional(),
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

/** null: not an answer of our services (for example a proxy's). */
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
