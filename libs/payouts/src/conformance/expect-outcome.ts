import assert from 'node:assert/strict';

import type { ProviderAnswer, ProviderOutcome } from '../payout-provider.js';
import { MAX_TEXT } from '../provider-text.js';

/** Asserts the outcome and that the answer can be stored. */
export function expectOutcome<O extends ProviderOutcome>(
  answer: ProviderAnswer,
  outcome: O,
): Extract<ProviderAnswer, { outcome: O }> {
  expectStorable(answer);
  assert.equal(
    answer.outcome,
    outcome,
    `answered ${JSON.stringify(answer, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`,
  );
  return answer as Extract<ProviderAnswer, { outcome: O }>;
}

function expectStorable(answer: ProviderAnswer): void {
  const others = ('otherPayments' in answer && answer.otherPayments) || [];
  const texts = {
    receipt: ['receipt' in answer ? answer.receipt : '', ...others.map(({ receipt }) => receipt)],
    name: ['publicName' in answer ? (answer.publicName ?? '') : ''],
    detail: ['detail' in answer ? answer.detail : ''],
  };
  for (const field of Object.keys(MAX_TEXT) as (keyof typeof MAX_TEXT)[]) {
    for (const text of texts[field]) {
      assert.ok(text.length <= MAX_TEXT[field], `${field} has ${text.length} characters`);
      assert.ok(text.isWellFormed() && !/\p{Cc}/u.test(text), `${field} cannot be stored: ${JSON.stringify(text)}`);
    }
  }
}
