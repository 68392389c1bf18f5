import { beforeEach, describe, expect, it } from '@jest/globals';
import { applyTerms, CURRENCIES, termsDigest } from '@vuka/domain';
import { createLogger } from '@vuka/runtime';

import { TermsWatch } from './terms-watch.js';

const lines: Record<string, unknown>[] = [];
const log = createLogger('test', {
  destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
});

function otherTerms(max: string): string {
  const terms = applyTerms(CURRENCIES, { limits: [{ operation: 'payout', currency: 'KES', max }] });
  if (!terms.ok) throw new Error(terms.error);
  return termsDigest(terms.value);
}

beforeEach(() => {
  lines.length = 0;
});

describe('terms of a gateway', () => {
  it('that are those of payments, or are not said, are nothing to tell', () => {
    const watch = new TermsWatch(CURRENCIES, log);
    watch.hear(termsDigest(CURRENCIES));
    watch.hear(undefined);
    expect(lines).toEqual([]);
  });

  it('that differ are an alarm, once for each', () => {
    const watch = new TermsWatch(CURRENCIES, log);
    for (const digest of [otherTerms('300'), otherTerms('300'), otherTerms('400'), otherTerms('300')])
      watch.hear(digest);
    expect(lines.map(({ code, gateway_terms, payments_terms }) => [code, gateway_terms, payments_terms])).toEqual(
      ['300', '400'].map((max) => ['terms_differ', otherTerms(max), termsDigest(CURRENCIES)]),
    );
  });

  it('are remembered in bounded memory', () => {
    const watch = new TermsWatch(CURRENCIES, log);
    for (let n = 0; n < 1_000; n++) watch.hear(n.toString(16));
    expect([lines.length, (watch as unknown as { told: Set<string> }).told.size <= 64]).toEqual([1_000, true]);
  });
});
