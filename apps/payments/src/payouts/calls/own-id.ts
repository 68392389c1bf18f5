import type { ProviderEvent } from '../payment-updates.js';

export const ANOTHER_ID = 'the provider names another payment of its own for our id';

/** The provider's own id, where the answer tells one. */
export function ownIdOf(answer: ProviderEvent): string | undefined {
  return 'providerPaymentId' in answer ? answer.providerPaymentId : undefined;
}

/**
 * What is said of another payment than the one that is kept proves nothing of it, and two may be out: people look.
 * `kept` null: none yet.
 */
export function heldAgainst(kept: string | null, answer: ProviderEvent): ProviderEvent {
  const told = ownIdOf(answer);
  return told === undefined || kept === null || told === kept ? answer : { outcome: 'mismatch', detail: ANOTHER_ID };
}
