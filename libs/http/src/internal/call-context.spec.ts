import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import { newCallContext, nextTraceparent } from './call-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const FRESH = /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/;

describe('call context', () => {
  const clock = new ManualClock(new Date(1_000_000));

  it('carries a sane request id on and replaces any other', () => {
    expect(newCallContext({ requestId: 'order-7:retry.1' }).requestId).toBe('order-7:retry.1');
    for (const requestId of ['', 'a b', 'a\r\nSet-Cookie: x', 'é', 'x'.repeat(129), undefined]) {
      expect(newCallContext({ requestId }).requestId).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('sets the deadline from the budget, two seconds by default', () => {
    expect(newCallContext({}, clock).deadline).toBe(1_002_000);
    expect(newCallContext({ budgetMs: 150 }, clock).deadline).toBe(1_000_150);
  });

  it.each([`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-00`, `cc-${TRACE}-${SPAN}-01-what-the-future-brings`])(
    'keeps the trace of %s with a span of its own',
    (incoming) => {
      const next = nextTraceparent(incoming);
      expect(next).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-${incoming.slice(53, 55)}$`));
      expect(next).not.toContain(SPAN);
    },
  );

  it.each([
    undefined,
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-extra`,
    `cc-${TRACE}-${SPAN}-01-${'x'.repeat(600)}`,
  ])('begins a new trace for %p', (incoming) => {
    const next = nextTraceparent(incoming);
    expect(next).toMatch(FRESH);
    expect(next).not.toContain(TRACE);
  });
});
