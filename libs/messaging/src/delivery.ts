import { CommitOutcomeUnknownError, isCancelled, isOutage } from '@vuka/persistence';
import { crashPoint, maskText } from '@vuka/platform';

import type { LaneRow } from './bucket-lane.js';
import type { DeadLetter } from './dead-letters.js';
import { MAX_ENVELOPE_BYTES, parseEnvelope, type EventCatalogue } from './envelope.js';
import { PermanentEventError, type Subscription } from './wire.js';

/** What came of handing one row to its group once. */
export type DeliveryOutcome =
  | { readonly kind: 'handled' }
  /** It can never be handled. */
  | { readonly kind: 'refused'; readonly reason: DeadLetter['reason']; readonly detail: string }
  /** The handler failed and may succeed another time. */
  | { readonly kind: 'failed'; readonly detail: string }
  /**
   * A database is away or refuses everybody: not the event's fault, so it is no try. `isCancelled`: a statement ran out of
   * its time, which an event can bring about as well.
   */
  | { readonly kind: 'outage'; readonly detail: string; readonly isCancelled: boolean };

export interface DeliveryOptions {
  readonly catalogue: EventCatalogue;
  readonly handlerTimeoutMs: number;
}

/**
 * The one place where an event meets its handler, once per try: decode, check, hand over, wait, judge the error.
 * A test wire duplicates, delays and interleaves around this call (disturbance.ts).
 */
export async function deliver(
  row: Pick<LaneRow, 'topic' | 'bytes' | 'text'>,
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
  try {
    crashPoint('wire.before-handler');
    await withinTime(subscription.handle(envelope), options.handlerTimeoutMs);
    crashPoint('wire.after-handler');
    return { kind: 'handled' };
  } catch (error) {
    const detail = describeError(error);
    if (error instanceof PermanentEventError) return { kind: 'refused', reason: 'refused', detail };
    // A commit whose answer was lost is tried again like any outage: the inbox knows whether it had happened.
    const isAway = isOutage(error) || error instanceof CommitOutcomeUnknownError;
    return isAway ? { kind: 'outage', detail, isCancelled: isCancelled(error) } : { kind: 'failed', detail };
  }
}

async function withinTime(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The handler took more than ${ms} ms`));
    }, ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Name and message, bounded. Database errors keep the offending values in other members, which stay out. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : 'something that is not an Error was thrown';
  return maskText(text.slice(0, 300));
}
