import assert from 'node:assert/strict';

import type { ProviderAnswer, TooLate } from '../payout-provider.js';
import { MAX_TEXT, providerText } from '../provider-text.js';

type Answer = ProviderAnswer | TooLate;

/** Asserts the outcome and that the answer can be stored. */
export function expectOutcome<O extends Answer['outcome']>(
  answer: Answer,
  outcome: O,
): Extract<Answer, { outcome: O }> {
  expectStorable(answer);
  assert.equal(
    answer.outcome,
    outcome,
    `answered ${JSON.stringify(answer, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`,
  );
  return answer as Extract<Answer, { outcome: O }>;
}

function expectStorable(answer: Answer): void {
  const id = 'providerPaymentId' in answer ? answer.providerPaymentId : undefined;
  assert.ok(
    id === undefined || (id !== '' && providerText(id, MAX_TEXT.paymentId) === id),
    'its own id cannot be stored',
  );
  const isOurs = answer.outcome === 'not_paid' && answer.ourFault !== undefined;
  assert.ok(!isOurs || answer.routeLeft, 'a fault of ours leaves a route');

  const others = ('otherPayments' in answer && answer.otherPayments) || [];
  const texts = {
    receipt: ['receipt' in answer ? answer.receipt : '', ...others.map(({ receipt }) => receipt)],
    name: ['publicName' in answer ? (answer.publicName ?? '') : ''],
    detail: ['detail' in answer ? answer.detail : ''],
  };
  for (const field of Object.keys(texts) as (keyof typeof texts)[]) {
    for (const text of texts[field]) {
      assert.ok(text.length <= MAX_TEXT[field], `${field} has ${text.length} characters`);
      assert.ok(text.isWellFormed() && !/\p{Cc}/u.test(text), `${field} cannot be stored: ${JSON.stringify(text)}`);
    }
  }
}
