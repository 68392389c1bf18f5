import { createHmac } from 'node:crypto';

import type { Message } from '../../simulation/callback-queue.js';
import type { SigningFault } from '../behaviour/behaviour.js';

const STRANGER = 'sk_live_key-of-another-merchant';

/** Hex HMAC-SHA512 of the raw body under the secret key [D], or with the fault that it is to have. */
export function signedWebhook(secret: string, body: string, signing?: SigningFault): Message {
  const plain = { 'content-type': 'application/json' };
  if (signing === 'unsigned') return { headers: plain, body };
  const signature = createHmac(signing === 'sha256' ? 'sha256' : 'sha512', signing === 'forged' ? STRANGER : secret)
    .update(body, 'utf8')
    .digest('hex');
  return {
    headers: { ...plain, 'x-paystack-signature': signature },
    body: signing === 'altered_body' ? alter(body) : body,
  };
}

/** The same with another amount. */
function alter(body: string): string {
  return body.replace(/"amount":(\d+)/, (_all, digits: string) => `"amount":${BigInt(digits) + 100n}`);
}
