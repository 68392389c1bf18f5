/** How a payout ends at this rail. */
export type Behaviour =
  | { readonly ends: 'PAID' }
  | { readonly ends: 'FAILED'; readonly code: FailureCode };

export type FailureCode = 'RECIPIENT_NOT_FOUND' | 'REJECTED';

/**
 * The sandbox numbers: the last four digits of the recipient's account number decide. Stable for ever, because
 * partners' tests are written against them (docs/sandbox-rail.md).
 */
export const SANDBOX_NUMBERS: Readonly<Record<string, Behaviour>> = {
  '0000': { ends: 'FAILED', code: 'RECIPIENT_NOT_FOUND' },
  '0001': { ends: 'FAILED', code: 'REJECTED' },
};

/** All other numbers. */
export const DEFAULT_BEHAVIOUR: Behaviour = { ends: 'PAID' };

/** The last four digits of an account number; letters and dashes are skipped, a short number has fewer. */
export function sandboxNumber(accountNumber: string): string {
  return accountNumber.replace(/\D/g, '').slice(-4);
}

export function behaviourOf(accountNumber: string): Behaviour {
  const number = sandboxNumber(accountNumber);
  return Object.hasOwn(SANDBOX_NUMBERS, number) ? (SANDBOX_NUMBERS[number] ?? DEFAULT_BEHAVIOUR) : DEFAULT_BEHAVIOUR;
}

/** The name of whoever holds the account: `TEST <digits>` (decisions.md section 7). */
export function recipientName(accountNumber: string): string {
  return `TEST ${sandboxNumber(accountNumber)}`;
}
