/** Longest texts of a provider that we take over, in UTF-16 units. */
export const MAX_TEXT = { receipt: 100, name: 200, detail: 300 } as const;

/**
 * A provider's text as it may be stored and shown: no control characters (PostgreSQL takes no NUL), no half of a surrogate
 * pair, at most `max` long. What is odd in a name must never keep a payment from being recorded.
 */
export function providerText(text: string, max: number): string {
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed();
}

/** A provider's code as far as it may go into a log, since it could hold anything: no name, no number of anybody. */
export function providerCode(code: string | undefined): string {
  return code !== undefined && /^(?!.*\d{4})[A-Z][A-Z0-9_]{0,39}$/.test(code) ? code : 'without a readable code';
}
