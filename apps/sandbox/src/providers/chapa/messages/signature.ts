import { createHmac } from 'node:crypto';

import type { Message } from '../../simulation/callback-queue.js';
import type { QuestionSigning, SigningFault } from '../behaviour/behaviour.js';

const PLAIN = { 'content-type': 'application/json' };
/** Somebody else's. */
const STRANGER = 'a-secret-that-is-not-ours';

/** Hex HMAC-SHA256. */
export function hmac(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text, 'utf8').digest('hex');
}

/** Headers and bytes of a webhook [D]: x-chapa-signature signs the body, chapa-signature the secret itself. */
export function webhookMessage(signing: SigningFault | undefined, text: string, secret: string): Message {
  const constant = { 'chapa-signature': hmac(secret, secret) };
  const signed = (by: string, what: string): Message['headers'] => ({
    ...PLAIN,
    ...constant,
    'x-chapa-signature': hmac(by, what),
  });
  switch (signing) {
    case undefined:
      return { headers: signed(secret, text), body: text };
    case 'unsigned':
      return { headers: PLAIN, body: text };
    case 'forged':
      return {
        headers: { ...signed(STRANGER, text), 'chapa-signature': hmac(STRANGER, STRANGER) },
        body: text,
      };
    case 'altered_body':
      return { headers: signed(secret, text), body: altered(text) };
    case 'constant_only':
      return { headers: { ...PLAIN, ...constant }, body: text };
    case 'constant_and_forged':
      return { headers: signed(STRANGER, text), body: text };
    case 'other_writing':
      return { headers: signed(secret, otherwise(text)), body: otherwise(text) };
    case 'restated':
      return { headers: signed(secret, text), body: otherwise(text) };
  }
}

/** Headers and bytes of a question whether to pay; `signs` as the account has it. */
export function questionMessage(
  signing: QuestionSigning | undefined,
  text: string,
  { secret, signs }: { readonly secret: string; readonly signs: 'body' | 'secret' },
): Message {
  if (signing === 'unsigned') return { headers: PLAIN, body: text };
  const by = signing === 'forged' ? STRANGER : secret;
  const signature = hmac(by, signs === 'secret' || signing === 'constant' ? by : text);
  return {
    headers: { ...PLAIN, 'chapa-signature': signature },
    body: signing === 'altered_body' ? altered(text) : text,
  };
}

/** The same with another amount. */
function altered(text: string): string {
  const body = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify({ ...body, amount: `1${String(body['amount'])}` });
}

function otherwise(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2).replaceAll('/', '\\/');
}
