import { randomUUID } from 'node:crypto';

import type { CallContext } from '@vuka/contracts';
import { type Clock, pooledRandomBytes, systemClock } from '@vuka/runtime';

/** See architecture.md section 2. */
const DEFAULT_BUDGET_MS = 2_000;

const REQUEST_ID = /^[A-Za-z0-9._:@/+=-]{1,128}$/;
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Safe to echo in a header and to log. */
export function isSaneRequestId(text: string | undefined): text is string {
  return text !== undefined && REQUEST_ID.test(text);
}

/** W3C Trace Context level 1. A new trace if `incoming` is absent or malformed. */
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

/** Keeps sane incoming ids. `budgetMs` defaults to 2000. */
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
