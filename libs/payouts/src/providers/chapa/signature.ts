import { createHmac, timingSafeEqual } from 'node:crypto';

import type { ProviderCallback } from '../../payout-provider.js';
import { providerJson } from '../../provider-text.js';

/**
 * [D] developer.chapa.co/integrations/webhooks: `x-chapa-signature` is the HMAC-SHA256 of the payload with our secret hash, in hex.
 * `chapa-signature` is the HMAC of the secret itself: the same in each request, so whoever has seen one can sign anything. Custom
 * webhooks have the HMAC of the payload in `chapa-signature`, so each header counts for what its value is.
 */
const HEADERS = ['x-chapa-signature', 'chapa-signature'];

/** What was signed. */
export type Proof = 'payload' | 'constant' | 'nothing';

export interface Signed {
  readonly proof: Proof;
  /** For logs. '' where the payload is signed. */
  readonly detail: string;
}

/** `secrets`: those in force. */
export function proofOf({ headers, body }: ProviderCallback, secrets: readonly string[]): Signed {
  if (secrets.length === 0)
    return { proof: 'nothing', detail: 'signatures are not checked: its secret has no signing_secret' };
  const given = Object.entries(headers).flatMap(([name, value]) =>
    HEADERS.includes(name.toLowerCase()) ? (value ?? []) : [],
  );
  if (given.length === 0) return { proof: 'nothing', detail: 'no signature' };
  const payloads = payloadsOf(body);
  if (secrets.some((secret) => payloads.some((payload) => isOneOf(given, secret, payload))))
    return { proof: 'payload', detail: '' };
  return secrets.some((secret) => isOneOf(given, secret, secret))
    ? { proof: 'constant', detail: 'a constant is signed and not the payload' }
    : { proof: 'nothing', detail: 'a signature of another key or payload' };
}

/** The bytes as they came, and as Chapa's example in JavaScript writes them again. What is read from both is the same. */
function payloadsOf(body: Uint8Array): (Uint8Array | string)[] {
  const value = providerJson(body);
  return value === undefined ? [body] : [body, JSON.stringify(value)];
}

function isOneOf(given: readonly string[], secret: string, payload: Uint8Array | string): boolean {
  const expected = createHmac('sha256', secret).update(payload).digest();
  return given.some((text) => {
    const shown = Buffer.from(/^[0-9a-f]{64}$/i.test(text.trim()) ? text.trim() : '', 'hex');
    return shown.length === expected.length && timingSafeEqual(shown, expected);
  });
}
