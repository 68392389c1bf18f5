import { ADMIN_OPERATION } from '@vuka/contracts';
import { z } from 'zod';

import type { Answer } from './call-encoding.js';

/**
 * What both ends of internal HTTP agree on: POST /internal/<operation>, the input as JSON, and these headers beside
 * `authorization: Bearer …`. The answer is a Result as it is, or `{ ok: false, failure }`.
 */
export const READY_PATH = '/health/ready';
/** Milliseconds that are left, as the clocks of two machines do not agree on a time of day. */
export const DEADLINE_HEADER = 'x-vuka-deadline-ms';
export const REQUEST_ID_HEADER = 'request-id';
export const TRACE_HEADER = 'traceparent';
const LONGEST_CALL_MS = 60_000;
/** The check of a ledger reads everything there is. */
const LONGEST_ADMIN_CALL_MS = 10 * 60_000;

/** No call takes longer, whatever it asks for. */
export function longestCallMs(operation: string): number {
  return operation === ADMIN_OPERATION ? LONGEST_ADMIN_CALL_MS : LONGEST_CALL_MS;
}

/** Why there is no Result. */
export const failureSchema = z.object({
  kind: z.enum([
    /** Nothing was done: there is too much to do, or the service is on its way out. Another time or instance may do it. */
    'not_started',
    /** Nothing was done, and would not be a second time: another credential, or an operation that is not known there. */
    'refused',
    /** The handler, or a service it asked, could not: ServiceUnavailableError. */
    'unavailable',
    /** The deadline passed: DeadlineExceededError. */
    'deadline',
    /** One of the two ends is wrong about the operation: ContractError. */
    'contract',
  ]),
  /** Where it failed: the service called, or one further on. */
  service: z.string(),
  /** Of a deadline: the operation that was late. */
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

/** What a service of ours said, null where it was none: something between us, or nothing that speaks our language. */
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
