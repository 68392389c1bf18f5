import { randomUUID } from 'node:crypto';

import type { CallContext } from '@vuka/contracts';
import { type Clock, pooledRandomBytes, systemClock } from '@vuka/runtime';

/** The gateway's budget for a whole call (architecture.md section 2). */
const DEFAULT_BUDGET_MS = 2_000;

const REQUEST_ID = /^[A-Za-z0-9._:@/+=-]{1,128}$/;
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** A request id fit to be echoed in a header and written to a log; anything else is replaced. */
export function isSaneRequestId(text: string | undefined): text is string {
  return text !== undefined && REQUEST_ID.test(text);
}

/**
 * The next hop of a trace (W3C Trace Context level 1): the caller's trace id and flags with a span id of our
 * own; a new trace when the caller sent none or one that breaks the format.
 */
export function nextTraceparent(incoming: string | undefined): string {
  const random = pooledRandomBytes(24).toString('hex');
  const span = random.slice(32);
  const match = incoming === undefined || incoming.length > 512 ? null : TRACEPARENT.exec(incoming);
  if (match === null) return `00-${random.slice(0, 32)}-${span}-00`;
  const [, version, traceId = '', parentId = '', flags = '00', extra] = match;
  const broken =
    version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(parentId) || (version === '00' && extra !== undefined);
  return broken ? `00-${random.slice(0, 32)}-${span}-00` : `00-${traceId}-${span}-${flags}`;
}

/**
 * The context of a call that starts here: an incoming request's ids where they are sane, new ones otherwise,
 * and a deadline `budgetMs` (default 2000) from now.
 */
export function newCallContext(
  partial: { requestId?: string | undefined; traceparent?: string | undefined; budgetMs?: number } = {},
  clock: Clock = systemClock,
): CallContext {
  return {
    requestId: isSaneRequestId(partial.requestId) ? partial.requestId : randomUUID(),
    traceparent: nextTraceparent(partial.traceparent),
    deadline: clock.now().getTime() + (partial.budgetMs ?? DEFAULT_BUDGET_MS),
  };
}
