/** In UTF-16 units. */
export const MAX_TEXT = { receipt: 100, paymentId: 100, name: 200, detail: 300 } as const;

/** PostgreSQL rejects NUL and half surrogate pairs. A strange name must not prevent booking a payment. */
export function providerText(text: string, max: number): string {
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed();
}

/** Safe for logs: an unknown code could hold a person's name or number. */
export function providerCode(code: string | undefined): string {
  return code !== undefined && /^(?!.*\d{4})[A-Z][A-Z0-9_]{0,39}$/.test(code) ? code : 'without a readable code';
}

/** What a body of a callback says; undefined: no JSON. */
export function providerJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch {
    return undefined;
  }
}
