import type { Metrics } from '@vuka/runtime';

import type { PayoutProvider } from './payout-provider.js';

const CALL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60];

/** Of the port and its further ports: what calls a provider. */
const OPERATIONS: ReadonlySet<PropertyKey> = new Set([
  'submit',
  'query',
  'statement',
  'lookUpName',
  'balances',
  'availability',
  'predictNetwork',
  'resend',
]);

/**
 * The same provider, whose calls are counted: `outcome` is the answer's, `none` where there was no page of the
 * statement, `threw` for a bug.
 */
export function measuredProvider<P extends PayoutProvider>(provider: P, metrics: Metrics): P {
  const seconds = metrics.histogram(
    'vuka_provider_call_seconds',
    'How long a provider takes to answer, by what it answers',
    ['provider', 'operation', 'outcome'],
    { buckets: CALL_SECONDS },
  );
  const measured = async (operation: string, call: () => Promise<unknown>): Promise<unknown> => {
    const began = performance.now();
    let outcome = 'threw';
    try {
      const answer = await call();
      outcome = outcomeOf(answer);
      return answer;
    } finally {
      seconds.observe({ provider: provider.id, operation, outcome }, (performance.now() - began) / 1_000);
    }
  };
  return new Proxy(provider, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const call = (): unknown => Reflect.apply(member, target, args);
        return OPERATIONS.has(name) ? measured(String(name), async () => call()) : call();
      };
    },
  });
}

function outcomeOf(answer: unknown): string {
  if (answer === null) return 'none';
  const { outcome } = Object(answer) as { outcome?: unknown };
  return typeof outcome === 'string' ? outcome : 'told';
}
