/** decisions.md section 2. */
export const QUOTE_LIVES_MS = 5 * 60_000;

/** A sequencer's clock may be wrong by seconds (chains.md section 6). */
export const QUOTE_GRACE_MS = 30_000;

/** A client may learn of its transfer late. */
export const QUOTE_USABLE_MS = 30 * 60_000;

interface Expires {
  readonly expiresAt: Date;
}

export function mayUseQuote({ expiresAt }: Expires, acceptedAt: Date): boolean {
  return acceptedAt.getTime() <= expiresAt.getTime() + QUOTE_USABLE_MS;
}

/**
 * A transfer older than the quote counts only if its pay was opened before the expiry.
 * Else a client could choose the best of all later rates for an old transfer.
 */
export function isOnTime(quote: Expires, openedAt: Date, blockMs: number): boolean {
  const expiresMs = quote.expiresAt.getTime();
  const end = expiresMs + QUOTE_GRACE_MS;
  const start = expiresMs - QUOTE_LIVES_MS - QUOTE_GRACE_MS;
  return mayUseQuote(quote, openedAt) && blockMs <= end && (blockMs >= start || openedAt.getTime() <= end);
}
