/** How long a quote holds its rate (decisions.md section 2). */
export const QUOTE_LIVES_MS = 5 * 60_000;

/** A sequencer's clock may be off by seconds (chains.md section 6): so much later than its expiry a quote's transfer is on time. */
export const QUOTE_GRACE_MS = 30_000;

/** How long after its expiry a pay may still be accepted under a quote: its transfer may need so long to be known to whoever claims it. */
export const QUOTE_USABLE_MS = 30 * 60_000;

interface Expires {
  readonly expiresAt: Date;
}

/** Whether a pay that is accepted then may use the quote. */
export function mayUseQuote({ expiresAt }: Expires, acceptedAt: Date): boolean {
  return acceptedAt.getTime() <= expiresAt.getTime() + QUOTE_USABLE_MS;
}

/**
 * Whether a quote was given for this transfer: one that was made before it counts only where its pay was opened while the quote lived. Else
 * who holds a transfer of today could pick the best of all rates that were quoted since.
 */
export function isOnTime(quote: Expires, openedAt: Date, blockMs: number): boolean {
  const expiresMs = quote.expiresAt.getTime();
  const end = expiresMs + QUOTE_GRACE_MS;
  const start = expiresMs - QUOTE_LIVES_MS - QUOTE_GRACE_MS;
  return mayUseQuote(quote, openedAt) && blockMs <= end && (blockMs >= start || openedAt.getTime() <= end);
}
