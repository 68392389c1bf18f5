import type { Envelope } from '@vuka/contracts';
import { CommitOutcomeUnknownError, isCancelled, isOutage } from '@vuka/persistence';
import { answerWithin, crashPoint, DeadlineExceededError, maskText, ServiceUnavailableError } from '@vuka/runtime';

import type { DeadLetter } from '../dead-letters/dead-letters.js';
import { MAX_ENVELOPE_BYTES, parseEnvelope, type EventCatalogue } from '../envelope.js';
import type { BufferRow } from './bucket-buffer.js';
import { PermanentEventError, type Subscription } from './subscription.js';

/** What came of handing one row to its group once, and is known by its handler's end. */
export type HandlerEnd =
  | { readonly kind: 'handled' }
  /** It can never be handled. */
  | { readonly kind: 'refused'; readonly reason: DeadLetter['reason']; readonly detail: string }
  /** The handler failed and may succeed another time. */
  | { readonly kind: 'failed'; readonly detail: string }
  /**
   * A database is away or refuses everybody, or a part behind it could not: not the event's fault, so it is no try.
   * `isCancelled`: a statement ran out of its time, or a part had begun and says no more than that it could not; an event
   * can bring that about as well.
   */
  | { readonly kind: 'outage'; readonly detail: string; readonly isCancelled: boolean };

/**
 * `late`: the handler is not through in its time. Nobody can tell yet whether it waits for locks or hangs, so it is judged by its `end`,
 * which comes within `LATE_TIMES` as long.
 */
export type DeliveryOutcome =
  HandlerEnd | { readonly kind: 'late'; readonly detail: string; readonly end: Promise<HandlerEnd> };

export interface DeliveryOptions {
  readonly catalogue: EventCatalogue;
  /** A handler that takes longer gives its place to another event's. */
  readonly handlerTimeoutMs: number;
}

/**
 * So many times its time a handler has until it is taken for one that hangs: two minutes. Each call to a database ends by itself
 * within 15 s (libs/persistence) and a move of money within a minute, so a handler that waits for others has mostly ended by then and says for whom; else it costs one try.
 */
const LATE_TIMES = 4;

/**
 * The one place where an event meets its handler, once per try: decode, check, hand over, wait, judge the error.
 * A test event bus duplicates, delays and interleaves around this call (disturbance.ts).
 */
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
    crashPoint('event_bus.before-handler');
    await subscription.handle(envelope);
    crashPoint('event_bus.after-handler');
    return { kind: 'handled' };
  } catch (error) {
    const detail = describeError(error);
    if (error instanceof PermanentEventError) return { kind: 'refused', reason: 'refused', detail };
    const away = awayIn(error);
    return away === null ? { kind: 'failed', detail } : { kind: 'outage', detail, ...away };
  }
}

/** Errors do not go deeper, unless they go round in a circle. */
const MAX_CAUSES = 8;

/**
 * The outage behind a handler's error, null where there is none. Database down: wait, never drop. Who asks a database for
 * others says in its own words that it could not, and keeps the database's as `cause`; judged by its own words alone, an
 * event that met a locked row would be a dead letter after five tries.
 */
function awayIn(error: unknown): { readonly isCancelled: boolean } | null {
  let at = error;
  for (let depth = 0; at !== null && at !== undefined && depth < MAX_CAUSES; depth += 1) {
    // A commit whose answer was lost is tried again like any outage: the inbox knows whether it had happened.
    if (isOutage(at) || at instanceof CommitOutcomeUnknownError) return { isCancelled: isCancelled(at) };
    // Asked in time, it may be slow for everybody, or for this event alone.
    if (at instanceof DeadlineExceededError) return { isCancelled: at.sent };
    const { cause } = at as { cause?: unknown };
    // What was never asked (`sent` is false) heals without the event. A part that had begun, and says no more, may hide a bug
    // of its own that the event meets each time.
    if (at instanceof ServiceUnavailableError && (!at.sent || cause === undefined)) return { isCancelled: at.sent };
    at = cause;
  }
  return null;
}

/** Name and message, bounded. Database errors keep the offending values in other members, which stay out. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : 'something that is not an Error was thrown';
  return maskText(text.slice(0, 300));
}
