import type { Envelope } from '@vuka/contracts';
import { CommitOutcomeUnknownError, isCancelled, isOutage } from '@vuka/persistence';
import { answerWithin, crashPoint, DeadlineExceededError, maskText, ServiceUnavailableError } from '@vuka/runtime';

import type { DeadLetter } from '../dead-letters/dead-letters.js';
import { MAX_ENVELOPE_BYTES, parseEnvelope, type EventCatalogue } from '../envelope.js';
import type { BufferRow } from './bucket-buffer.js';
import { PermanentEventError, type Subscription } from './subscription.js';

export type HandlerEnd =
  | { readonly kind: 'handled' }
  | { readonly kind: 'refused'; readonly reason: DeadLetter['reason']; readonly detail: string }
  /** May succeed on a retry. */
  | { readonly kind: 'failed'; readonly detail: string }
  /**
   * Not the event's fault, so no try. `isCancelled`: a statement timed out or a started service failed unclearly; the
   * event may cause that too.
   */
  | { readonly kind: 'outage'; readonly detail: string; readonly isCancelled: boolean };

/** `late`: it may wait for locks or hang. Its `end` decides, within `LATE_TIMES` the time. */
export type DeliveryOutcome =
  HandlerEnd | { readonly kind: 'late'; readonly detail: string; readonly end: Promise<HandlerEnd> };

export interface DeliveryOptions {
  readonly catalogue: EventCatalogue;
  /** Then another event gets its place. */
  readonly handlerTimeoutMs: number;
}

/**
 * Then (two minutes) it counts as hanging: one try. Database calls end within 15 s (libs/persistence) and payment
 * commits within a minute.
 */
const LATE_TIMES = 4;

/** The only call of handlers, once per try. A test event bus wraps it (disturbance.ts). */
export async function deliver(
  row: Pick<BufferRow, 'topic' | 'bytes' | 'text'>,
  subscription: Pick<Subscription, 'handle'>,
  options: DeliveryOptions,
): Promise<DeliveryOutcome> {
  if (row.bytes > MAX_ENVELOPE_BYTES || row.text === null) {
    return { kind: 'refused', reason: 'too_big', detail: `${row.bytes} bytes, at most ${MAX_ENVELOPE_BYTES}` };
  }
  let envelope;
  try {
    envelope = parseEnvelope(row.text, row.topic, options.catalogue);
  } catch (error) {
    return { kind: 'refused', reason: 'malformed', detail: describeError(error) };
  }
  const { handlerTimeoutMs: ms } = options;
  const end = handOver(envelope, subscription);
  const inTime = await answerWithin(ms, end, null, { holdsProcess: false });
  if (inTime !== null) return inTime;
  const hangs: HandlerEnd = { kind: 'failed', detail: `The handler has not ended after ${ms * LATE_TIMES} ms` };
  return {
    kind: 'late',
    detail: `The handler takes more than ${ms} ms`,
    end: answerWithin(ms * (LATE_TIMES - 1), end, hangs, { holdsProcess: false }),
  };
}

async function handOver(envelope: Envelope, subscription: Pick<Subscription, 'handle'>): Promise<HandlerEnd> {
  try {
    crashPoint('event-bus.before-handler');
    await subscription.handle(envelope);
    crashPoint('event-bus.after-handler');
    return { kind: 'handled' };
  } catch (error) {
    const detail = describeError(error);
    if (error instanceof PermanentEventError) return { kind: 'refused', reason: 'refused', detail };
    const away = awayIn(error);
    return away === null ? { kind: 'failed', detail } : { kind: 'outage', detail, ...away };
  }
}

/** Guards against circular causes. */
const MAX_CAUSES = 8;

/**
 * The outage behind a handler's error, or null. Services keep a database error as `cause`. Without causes, a locked
 * row would make a dead letter after five tries.
 */
function awayIn(error: unknown): { readonly isCancelled: boolean } | null {
  let at = error;
  for (let depth = 0; at !== null && at !== undefined && depth < MAX_CAUSES; depth += 1) {
    // Unknown outcome: the inbox knows whether it was committed.
    if (isOutage(at) || at instanceof CommitOutcomeUnknownError) return { isCancelled: isCancelled(at) };
    // Slow for everybody, or for this event only.
    if (at instanceof DeadlineExceededError) return { isCancelled: at.sent };
    const { cause } = at as { cause?: unknown };
    // Not sent: not the event's fault. A started service may have a bug that this event always meets.
    if (at instanceof ServiceUnavailableError && (!at.sent || cause === undefined)) return { isCancelled: at.sent };
    at = cause;
  }
  return null;
}

/** Bounded; database errors keep values in other members. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : 'something that is not an Error was thrown';
  return maskText(text.slice(0, 300));
}
